// What one step of connecting an account carries to the next.

/** Input of another step, as hidden fields. */
export function Kept({ fields, names }: { fields: URLSearchParams; names: readonly string[] }) {
  return (
    <>
      {names.map((name) => (
        <input type="hidden" name={name} value={fields.get(name) ?? ''} />
      ))}
    </>
  );
}

/** Notes about the provider. The owner needs them most where the password is asked for. */
export function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="note" id="notes">
      {notes.map((note) => (
        <li>{note}</li>
      ))}
    </ul>
  );
}

/** The same notes, as hidden fields. */
export function KeptNotes({ notes }: { notes: readonly string[] }) {
  return (
    <>
      {notes.map((note) => (
        <input type="hidden" name="note" value={note} />
      ))}
    </>
  );
}

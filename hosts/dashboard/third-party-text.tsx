import { piecesOf, visibleText } from './visible-text.ts';

/** A name, subject or address, on one line and isolated from the direction of the text around it. */
export function Quoted({ text }: { text: string }) {
  return <bdi>{visibleText(text)}</bdi>;
}

/**
 * The exact text of a message, so that it can be compared and copied. Style alone shows the code of an invisible
 * character beside it.
 */
export function ExactText({ id, text }: { id: string; text: string }) {
  // Not a <pre>: HTML parsers drop a line feed at its start.
  return (
    <div id={id} class="exact" dir="auto">
      {piecesOf(text).map((piece) =>
        piece.unseen === undefined ? (
          piece.text
        ) : (
          <span class="unseen" data-code={piece.unseen}>
            {piece.text}
          </span>
        ),
      )}
    </div>
  );
}

/** Lists the invisible characters of the text with their counts. Renders nothing if there are none. */
export function UnseenNote({ text }: { text: string }) {
  const counts = new Map<string, number>();
  for (const { unseen } of piecesOf(text)) {
    if (unseen !== undefined) counts.set(unseen, (counts.get(unseen) ?? 0) + 1);
  }
  if (counts.size === 0) return null;
  const found = [...counts].map(([code, count]) => (count === 1 ? code : `${code} (${count} times)`));
  return (
    <p class="note" id="unseen-characters">
      The text contains invisible characters. Each is marked in place: {found.join(', ')}.
    </p>
  );
}

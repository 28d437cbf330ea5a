/** Finds the UIDs in an iCalendar object without reading the rest of it. */

/** Whether one of its components has that UID. Linear in the length of the object. */
export function containsUid(ics: string, uid: string): boolean {
  return uidsIn(ics).has(uid);
}

export function uidsIn(ics: string): ReadonlySet<string> {
  const lines = ics.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
  return new Set(lines.flatMap((line) => (/^UID[;:]/i.test(line) ? [unescaped(valueIn(line))] : [])));
}

/** The text after the first colon outside quotes. */
function valueIn(line: string): string {
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (line[at] === ':' && !isQuoted) return line.slice(at + 1);
  }
  return '';
}

/** RFC 5545 3.3.11. */
function unescaped(text: string): string {
  return text.replace(/\\([\\;,nN])/g, (_whole, character: string) =>
    character.toLowerCase() === 'n' ? '\n' : character,
  );
}

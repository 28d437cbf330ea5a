import { piecesOf, visibleText } from './visible-text.ts';

/** A name, a subject, an address: on one line among our own words, in its own direction. */
export function Quoted({ text }: { text: string }) {
  return <bdi>{visibleText(text)}</bdi>;
}

/**
 * The text of a message. What the page holds is exactly the text, so that it can be compared and copied; the
 * code of a character that does not show stands beside it by style alone.
 */
export function ExactText({ id, text }: { id: string; text: string }) {
  // Not a <pre>: a parser drops the line feed that one begins with.
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

/** Says which characters of the text do not show, and how many; nothing where all of them do. */
export function UnseenNote({ text }: { text: string }) {
  const counts = new Map<string, number>();
  for (const { unseen } of piecesOf(text)) {
    if (unseen !== undefined) counts.set(unseen, (counts.get(unseen) ?? 0) + 1);
  }
  if (counts.size === 0) return null;
  const found = [...counts].map(([code, count]) => (count === 1 ? code : `${code} (${count} times)`));
  return (
    <p class="note" id="unseen-characters">
      The text holds characters that do not show by themselves; they are marked where they stand:{' '}
      {found.join(', ')}.
    </p>
  );
}

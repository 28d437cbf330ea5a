import { codePoints } from '../../core/text/code-points.ts';
import type { MarkedPart } from './marked-parts.ts';
import { numberText } from './number-text.ts';
import { type Piece, piecesOf, splitPieces, visibleText } from './visible-text.ts';

/** A name, subject or address, on one line and isolated from the direction of the text around it. */
export function Quoted({ text }: { text: string }) {
  return <bdi>{visibleText(text)}</bdi>;
}

/** A name that the sentence of a request is about. */
export function Name({ text }: { text: string }) {
  return (
    <b>
      <Quoted text={text} />
    </b>
  );
}

/** Like `Quoted`, with highlighted parts. @param parts  in order and apart from each other */
export function MarkedLine({ text, parts }: { text: string; parts: readonly MarkedPart[] }) {
  const cuts = [0, ...parts.flatMap(({ from, to }) => [from, to]), text.length];
  return (
    <bdi>
      {cuts.slice(0, -1).map((from, index) => {
        const shown = visibleText(text.slice(from, cuts[index + 1]));
        const part = index % 2 === 1 ? parts[(index - 1) / 2] : undefined;
        if (part === undefined) return shown;
        return (
          <mark id={part.id} data-severity={part.severity}>
            {shown}
          </mark>
        );
      })}
    </bdi>
  );
}

/**
 * The exact text of a message, so that it can be compared and copied. Style alone shows the code of an invisible
 * character beside it, and the label of the folded part.
 * @param parts  highlighted parts, in order and apart from each other
 * @param ownChars  the rest after so many UTF-16 units is folded, unless a part is in it. Default: null, nothing is folded
 */
export function ExactText(props: {
  id: string;
  text: string;
  parts?: readonly MarkedPart[];
  ownChars?: number | null;
}) {
  const { id, text, parts = [], ownChars = null } = props;
  const folded = text.slice(ownChars ?? text.length);
  const isFolded = folded.trim() !== '' && parts.every(({ to }) => to <= text.length - folded.length);
  const end = isFolded ? text.length - folded.length : text.length;
  // Not a <pre>: HTML parsers drop a line feed at its start.
  return (
    <div id={id} class="exact" dir="auto">
      <MarkedText text={text.slice(0, end)} parts={parts} />
      {isFolded ? (
        <details>
          <summary aria-label={foldedLabel(folded)} data-label={foldedLabel(folded)} />
          <Pieces pieces={piecesOf(folded)} />
        </details>
      ) : null}
    </div>
  );
}

/** What follows the agent's words: the signature, and the text of the message that is answered or forwarded. */
function foldedLabel(folded: string): string {
  return `Quote and signature: ${charsIn(folded)}`;
}

/** The length of a text: `1,204 characters`. */
export function charsIn(text: string): string {
  return `${numberText(codePoints(text.trim()))} characters`;
}

function MarkedText({ text, parts }: { text: string; parts: readonly MarkedPart[] }) {
  const groups = splitPieces(
    piecesOf(text),
    parts.flatMap(({ from, to }) => [from, to]),
  );
  return (
    <>
      {groups.map((pieces, index) => {
        const part = index % 2 === 1 ? parts[(index - 1) / 2] : undefined;
        if (part === undefined) return <Pieces pieces={pieces} />;
        return (
          <mark id={part.id} data-severity={part.severity}>
            <Pieces pieces={pieces} />
          </mark>
        );
      })}
    </>
  );
}

function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <>
      {pieces.map(({ text, unseen }) =>
        unseen === undefined ? (
          text
        ) : (
          <span class="unseen" data-code={unseen}>
            {text}
          </span>
        ),
      )}
    </>
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

import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { codePoints, sliceCodePoints } from '../text/code-points.ts';

/** The part of a message that its sender chooses. */
export interface Draft {
  readonly to: readonly string[];
  /** Null: it follows from the message that is answered or forwarded. */
  readonly subject: string | null;
  /** Without quote and signature. */
  readonly text: string;
}

const DIFF_CHARS = 4000;
/** Beyond so many changed lines, finding the shortest difference takes too long: time grows with their square. */
const CHANGED_LINES = 200;
const CUT = '\n[The rest is left out.]\n';

/**
 * Returns a unified diff of recipients, subject and text, at most 4,000 code points. It contains nothing that a third
 * party wrote, because the subject of an answer is left out.
 */
export function editDiff(asked: Draft, approved: Draft): string {
  const [before, after] = [linesOf(asked), linesOf(approved)];
  const patch =
    createTwoFilesPatch('asked', 'approved', before, after, undefined, undefined, {
      context: 3,
      maxEditLength: CHANGED_LINES,
      headerOptions: FILE_HEADERS_ONLY,
    }) ?? replaced(before, after);
  return codePoints(patch) <= DIFF_CHARS
    ? patch
    : `${sliceCodePoints(patch, 0, DIFF_CHARS - CUT.length)}${CUT}`;
}

function linesOf({ to, subject, text }: Draft): string {
  const headers = [
    ...to.map((address) => `To: ${address}`),
    ...(subject === null ? [] : [`Subject: ${subject}`]),
  ];
  return `${headers.join('\n')}\n\n${text}\n`;
}

/** One hunk that removes everything and adds everything. */
function replaced(before: string, after: string): string {
  const [removed, added] = [before, after].map((text) => text.split('\n').slice(0, -1));
  const lines = [...(removed ?? []).map((line) => `-${line}`), ...(added ?? []).map((line) => `+${line}`)];
  const range = `@@ -1,${removed?.length ?? 0} +1,${added?.length ?? 0} @@`;
  return ['--- asked', '+++ approved', range, ...lines, ''].join('\n');
}

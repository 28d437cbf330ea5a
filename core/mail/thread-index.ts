import { Buffer } from 'node:buffer';

/**
 * Thread-Index (MS-OXOMSG 2.2.1.3), by which Outlook joins conversations. In base64: 22 bytes that are the same for the whole
 * conversation (the first six are when it began, and the first of these is 1; the others are a GUID), then five bytes for
 * each answer.
 */

const START_BYTES = 22;
const ANSWER_BYTES = 5;
/** About a hundred answers to answers, in a line that every server accepts. */
const VALUE_CHARS = 800;

/**
 * @param value  of a Thread-Index field
 * @returns the characters that are the same in all messages of its conversation, or null if it is something else
 */
export function threadIndexStart(value: string): string | null {
  return /^A[Q-Za-f][A-Za-z0-9+/]{26}(?=[A-Za-z0-9+/]{2})/.exec(value.trimStart())?.[0] ?? null;
}

/**
 * @param parent  the Thread-Index of the answered message
 * @param at  when it is answered
 * @returns that of the answer, or undefined if the parent has none or something else
 */
export function answerThreadIndex(parent: string | undefined, at: Date): string | undefined {
  if (parent === undefined || threadIndexStart(parent) === null) return undefined;
  const whole = Buffer.from(parent.slice(0, VALUE_CHARS), 'base64');
  const isWhole = parent.length <= VALUE_CHARS && (whole.length - START_BYTES) % ANSWER_BYTES === 0;
  const before = isWhole ? whole : whole.subarray(0, START_BYTES);
  return Buffer.concat([before, answerBlock(before, at)]).toString('base64');
}

/** Between 1601, where a FILETIME begins, and 1970. */
const FILETIME_EPOCH_MS = 11_644_473_600_000n;
const UNITS_PER_MS = 10_000n;

/** How long after the conversation's begin, in coarser steps if that is more than 1.8 years. */
function answerBlock(threadIndex: Buffer, at: Date): Buffer {
  const begun = BigInt(threadIndex.readUIntBE(0, 6)) << 16n;
  const now = (BigInt(at.getTime()) + FILETIME_EPOCH_MS) * UNITS_PER_MS;
  const since = now > begun ? now - begun : 0n;
  const isLong = since >= 1n << 49n;
  const steps = Number((isLong ? since >> 23n : since >> 18n) & 0x7fff_ffffn);
  const block = Buffer.alloc(ANSWER_BYTES);
  block.writeUInt32BE(steps + (isLong ? 2 ** 31 : 0));
  return block;
}

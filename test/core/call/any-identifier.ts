import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { HandledMessage } from '../../../core/accounts/message-handle.ts';
import { anyGrapheme } from '../../any-character.ts';

export const random = (bytes: number) => randomBytes(bytes);
export const older = randomBytes(32);
export const newer = randomBytes(32);

export const owner = fc.string({ minLength: 1, maxLength: 40 });
const hex = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));
/** RFC 8474: an EMAILID has at most 255 characters. */
const stableId = fc.stringMatching(/^[A-Za-z0-9_-]{1,255}$/);

export const message: fc.Arbitrary<HandledMessage> = fc.record({
  accountId: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  place: fc.record({
    path: fc.string({ unit: anyGrapheme, minLength: 1, maxLength: 60 }),
    uidValidity: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String),
    uid: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  }),
  stableId: fc.option(stableId),
  fingerprint: hex,
  internalDate: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
  sizeBytes: fc.integer({ min: 0, max: 2 ** 40 }),
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** The character of an id to change, and how far it moves in the alphabet. */
export const change = fc.record({
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  by: fc.integer({ min: 1, max: ALPHABET.length - 1 }),
});

/** The id with one character after its prefix changed to a different one of the alphabet. */
export function changed(id: string, { at, by }: { at: number; by: number }): string {
  const index = 3 + Math.floor(at * (id.length - 3));
  const other = ALPHABET[(ALPHABET.indexOf(id[index] ?? '') + by) % ALPHABET.length];
  return id.slice(0, index) + other + id.slice(index + 1);
}

/** The second on which a message was received. */
export function inSeconds(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000);
}

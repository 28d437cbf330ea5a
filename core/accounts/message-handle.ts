import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import type { MessagePlace } from '../mail/listed-message.ts';
import type { MessageRow } from '../mail/message-row.ts';
import type { Keyring } from '../secrets/keyring.ts';

/**
 * The handle of a message: thirteen digits that its id shows, with two that check them. They come from a keyed hash, so that
 * every host finds the same handle, and nobody reads anything in it.
 */

/** What a handle stands for. A UID of 0: the message is somewhere in the folder. */
export interface HandledMessage
  extends Pick<MessageRow, 'place' | 'stableId' | 'internalDate' | 'sizeBytes'> {
  readonly accountId: number;
  /** As a row has it, or how it begins: 24 hexadecimal digits. */
  readonly fingerprint: string;
}

/** A handle that a message has if it has one, or may get. */
export interface Candidate {
  readonly handle: number;
  /** Whether it may still get it. Handles under an older secret key stay with those that have them. */
  readonly isForNew: boolean;
  /** Whether the message has another one elsewhere. */
  readonly isOfPlace: boolean;
}

const HANDLES = 10_000_000_000_000n;
const HANDLE_DIGITS = 13;
const CHECK_MODULUS = 97;

/** `m1_` and fifteen digits: ISO 7064 MOD 97-10, as in an IBAN. */
export function handleId(handle: number): string {
  // Of a number below 97, so that it stays exact.
  const check = 98 - (((handle % CHECK_MODULUS) * 100) % CHECK_MODULUS);
  return `m1_${String(handle).padStart(HANDLE_DIGITS, '0')}${String(check).padStart(2, '0')}`;
}

/** Undefined: the text has another form, or its check is wrong. */
export function handleIn(id: string): number | undefined {
  if (!/^m1_[0-9]{15}$/.test(id)) return undefined;
  const handle = Number(id.slice(3, 3 + HANDLE_DIGITS));
  return handleId(handle) === id ? handle : undefined;
}

/** The secrets of an owner's handles, hex: that of the writing key first. */
export function handleSecrets(keyring: Pick<Keyring, 'macs'>, ownerId: string): readonly string[] {
  return keyring.macs('message-handle', ownerId).map((mac) => Buffer.from(mac).toString('hex'));
}

/**
 * The handles of a message, the preferred ones first: they do not depend on its place, so it keeps them when it moves. A copy
 * gets one that does.
 * @param secrets  as `handleSecrets` returns them
 */
export function candidatesOf(secrets: readonly string[], message: HandledMessage): readonly Candidate[] {
  const { accountId, place, stableId } = message;
  const facts = [accountId, stableId, fingerprintStart(message)];
  const placed = [...facts, place.path, place.uidValidity, place.uid];
  return [
    ...handlesOf(secrets, facts, 1).map((one) => ({ ...one, isOfPlace: false })),
    // One may be taken by chance.
    ...handlesOf(secrets, placed, 2).map((one) => ({ ...one, isOfPlace: true })),
  ];
}

/** SHA-256 of a secret block and a value, cut, is faster than an HMAC, and as hard to guess. */
function handlesOf(
  secrets: readonly string[],
  facts: readonly unknown[],
  count: number,
): Omit<Candidate, 'isOfPlace'>[] {
  const value = JSON.stringify(facts);
  return secrets.flatMap((secret, key) => {
    const digest = hash('sha256', `${secret}${value}`, 'buffer');
    return Array.from({ length: count }, (_, at) => ({
      handle: Number(digest.readBigUInt64BE(8 * at) % HANDLES),
      isForNew: key === 0,
    }));
  });
}

/** What is sealed behind a handle. The path comes last: it may contain anything. */
export function handledText(message: HandledMessage): string {
  const { place, stableId, internalDate, sizeBytes } = message;
  const numbers = [
    BigInt(place.uidValidity),
    place.uid,
    Math.max(0, Math.floor(internalDate.getTime() / 1000)),
    sizeBytes,
  ];
  const fingerprint = Buffer.from(fingerprintStart(message), 'hex').toString('base64url');
  const stable = Buffer.from(stableId ?? '', 'utf8').toString('base64url');
  return [...numbers.map((one) => one.toString(36)), fingerprint, stable, place.path].join(' ');
}

/** @param text  as `handledText` returns it @throws Error if it is not */
export function handledMessage(accountId: number, text: string): HandledMessage {
  const match =
    /^([0-9a-z]+) ([0-9a-z]+) ([0-9a-z]+) ([0-9a-z]+) ([A-Za-z0-9_-]*) ([A-Za-z0-9_-]*) (.*)$/s.exec(text);
  if (match === null) throw new Error('a handle stands for a message');
  const [uidValidity = '', uid = '', seconds = '', sizeBytes = ''] = match.slice(1);
  const [fingerprint = '', stableId = '', path = ''] = match.slice(5);
  return {
    accountId,
    place: { path, uidValidity: inBase36(uidValidity), uid: Number.parseInt(uid, 36) },
    stableId: stableId === '' ? null : Buffer.from(stableId, 'base64url').toString('utf8'),
    fingerprint: Buffer.from(fingerprint, 'base64url').toString('hex'),
    internalDate: new Date(Number.parseInt(seconds, 36) * 1000),
    sizeBytes: Number.parseInt(sizeBytes, 36),
  };
}

/** A UIDVALIDITY may be larger than a number holds exactly. */
function inBase36(digits: string): string {
  let value = 0n;
  for (const digit of digits) value = value * 36n + BigInt(Number.parseInt(digit, 36));
  return value.toString();
}

function fingerprintStart({ fingerprint }: HandledMessage): string {
  return fingerprint.slice(0, 24);
}

/** The place of a message that was moved to a folder: which UID it got there is not known. */
export function somewhereIn(path: string): MessagePlace {
  return { path, uidValidity: '0', uid: 0 };
}

/** Whether a message keeps this handle when it moves. @param secrets  as `handleSecrets` returns them */
export function staysOnMove(secrets: readonly string[], handle: number, message: HandledMessage): boolean {
  return candidatesOf(secrets, message).some((one) => one.handle === handle && !one.isOfPlace);
}

/**
 * What a handle stands for, compared with a message that is about to be shown. `renumbered`: it is that message, and the
 * place that is kept exists no more, or was not known.
 */
export type Compared = 'same' | 'renumbered' | 'other';

export function compared(kept: HandledMessage, shown: HandledMessage): Compared {
  const isAlike =
    kept.accountId === shown.accountId &&
    kept.stableId === shown.stableId &&
    fingerprintStart(kept) === fingerprintStart(shown) &&
    kept.place.path === shown.place.path;
  if (!isAlike) return 'other';
  if (kept.place.uidValidity !== shown.place.uidValidity) return 'renumbered';
  return kept.place.uid === shown.place.uid ? 'same' : 'other';
}

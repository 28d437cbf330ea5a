import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  candidatesOf,
  handledMessage,
  handledText,
  handleId,
  handleIn,
  handleSecrets,
} from '../../../core/accounts/message-handle.ts';
import { messageId as messageIdSchema } from '../../../core/contract/schema.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { inSeconds, message, newer, older, owner, random } from '../call/any-identifier.ts';

const keyring = createKeyring([older], random);
const rotated = createKeyring([newer, older], random);

const handle = fc.integer({ min: 0, max: 9_999_999_999_999 });

describe('the handle of a message', () => {
  it('is written as m1_ and fifteen digits, and read again', () => {
    fc.assert(
      fc.property(handle, (one) => {
        const id = handleId(one);
        expect(id).toMatch(/^m1_[0-9]{15}$/);
        // As in an IBAN.
        expect(BigInt(id.slice(3)) % 97n).toBe(1n);
        expect(handleIn(id)).toBe(one);
        expect(messageIdSchema.safeParse(id).success).toBe(true);
      }),
    );
  });

  it('is known by its check: one digit changed, or two neighbours exchanged, make none', () => {
    fc.assert(
      fc.property(handle, fc.nat(14), fc.integer({ min: 1, max: 9 }), (one, at, by) => {
        const digits = Array.from(handleId(one).slice(3), Number);
        const changed = digits.map((digit, place) => (place === at ? (digit + by) % 10 : digit));
        expect(handleIn(`m1_${changed.join('')}`)).toBeUndefined();
        const [left, right] = [digits[at], digits[at + 1]];
        if (right === undefined || left === undefined || left === right) return;
        const swapped = digits.with(at, right).with(at + 1, left);
        expect(handleIn(`m1_${swapped.join('')}`)).toBeUndefined();
      }),
    );
  });

  it('has one spelling', () => {
    fc.assert(
      fc.property(handle, (one) => {
        const id = handleId(one);
        for (const other of [
          `${id} `,
          ` ${id}`,
          `${id}\n`,
          id.slice(3),
          id.slice(0, -1),
          `${id}0`,
          `M${id.slice(1)}`,
        ])
          expect(handleIn(other)).toBeUndefined();
      }),
    );
  });

  it('stands for the whole message', () => {
    fc.assert(
      fc.property(message, (sent) => {
        expect(handledMessage(sent.accountId, handledText(sent))).toEqual({
          ...sent,
          fingerprint: sent.fingerprint.slice(0, 24),
          internalDate: inSeconds(sent.internalDate),
        });
      }),
    );
  });

  it('is preferred wherever the message is, and there is another one for each place', () => {
    fc.assert(
      fc.property(owner, message, message, (ownerId, sent, { place }) => {
        fc.pre(JSON.stringify(place) !== JSON.stringify(sent.place));
        const here = candidatesOf(handleSecrets(keyring, ownerId), sent).map((one) => one.handle);
        const there = candidatesOf(handleSecrets(keyring, ownerId), { ...sent, place }).map(
          (one) => one.handle,
        );
        expect(there[0]).toBe(here[0]);
        expect(new Set([...here, ...there]).size).toBe(here.length + there.length - 1);
      }),
    );
  });

  it('is of one owner, one account and one message', () => {
    fc.assert(
      fc.property(owner, message, message, (ownerId, sent, other) => {
        const first = (who: string, what: typeof sent) =>
          candidatesOf(handleSecrets(keyring, who), what)[0]?.handle;
        const own = first(ownerId, sent);
        expect(first(`${ownerId}?`, sent)).not.toBe(own);
        expect(first(ownerId, { ...sent, accountId: sent.accountId + 1 })).not.toBe(own);
        expect(first(ownerId, { ...sent, fingerprint: other.fingerprint })).not.toBe(own);
      }),
    );
  });

  it('stays after a new secret key, but no new message gets one of the older key', () => {
    fc.assert(
      fc.property(owner, message, (ownerId, sent) => {
        const before = candidatesOf(handleSecrets(keyring, ownerId), sent).map((one) => one.handle);
        const after = candidatesOf(handleSecrets(rotated, ownerId), sent);
        expect(after.map((one) => one.handle)).toEqual(expect.arrayContaining(before));
        const fresh = after.filter(({ isForNew }) => isForNew).map((one) => one.handle);
        expect(fresh).toHaveLength(before.length);
        expect(fresh.filter((one) => before.includes(one))).toEqual([]);
      }),
    );
  });
});

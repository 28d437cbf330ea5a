import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSealedMessageId } from '../../../core/call/sealed-message-id.ts';
import { messageId as messageIdSchema } from '../../../core/contract/schema.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { oldMessageId } from '../../old-message-id.ts';
import { change, changed, inSeconds, message, newer, older, owner, random } from './any-identifier.ts';

const keyring = createKeyring([older], random);
const rotated = createKeyring([newer, older], random);
const strange = createKeyring([newer], random);

describe('message ids of the form before handles', () => {
  it('open to their parts', () => {
    fc.assert(
      fc.property(owner, message, (ownerId, sent) => {
        const opened = openSealedMessageId(
          keyring,
          ownerId,
          oldMessageId(keyring, ownerId, sent.accountId, sent),
        );
        if (opened.kind !== 'opened') throw new Error(opened.kind);
        const { isIn, ...parts } = opened.parts;
        expect(parts).toEqual({
          accountId: sent.accountId,
          uidValidity: sent.place.uidValidity,
          uid: sent.place.uid,
          stableId: sent.stableId,
          fingerprint: sent.fingerprint.slice(0, 32),
          internalDate: inSeconds(sent.internalDate),
          sizeBytes: sent.sizeBytes,
        });
        expect(isIn(sent.place.path)).toBe(true);
        expect(isIn(`${sent.place.path} `)).toBe(false);
      }),
    );
  });

  it('are still arguments', () => {
    fc.assert(
      fc.property(owner, message, (ownerId, sent) => {
        const id = oldMessageId(keyring, ownerId, sent.accountId, sent);
        expect(messageIdSchema.safeParse(id).success).toBe(true);
      }),
    );
  });

  it('of another owner are unknown, not forged', () => {
    fc.assert(
      fc.property(owner, owner, message, (ownerId, other, sent) => {
        fc.pre(ownerId !== other);
        const id = oldMessageId(keyring, ownerId, sent.accountId, sent);
        expect(openSealedMessageId(keyring, other, id)).toEqual({ kind: 'unknown' });
      }),
    );
  });

  it('with any character changed are forged', () => {
    fc.assert(
      fc.property(owner, message, change, (ownerId, sent, where) => {
        const id = oldMessageId(keyring, ownerId, sent.accountId, sent);
        expect(openSealedMessageId(keyring, ownerId, changed(id, where))).toEqual({ kind: 'forged' });
      }),
    );
  });

  it('have one spelling', () => {
    fc.assert(
      fc.property(owner, message, (ownerId, sent) => {
        const id = oldMessageId(keyring, ownerId, sent.accountId, sent);
        for (const other of [`${id}=`, `${id}A`, ` ${id}`, `${id}\n`, id.slice(3), `c1_${id.slice(3)}`]) {
          expect(openSealedMessageId(keyring, ownerId, other)).toEqual({ kind: 'forged' });
        }
      }),
    );
  });

  it.each(['m1_', 'm1_A', 'm1_AAAA', `m1_${'A'.repeat(200)}`, '', 'x'])('%j is forged', (id) => {
    expect(openSealedMessageId(keyring, 'ada', id)).toEqual({ kind: 'forged' });
  });

  it('made with an older key are still read; those of a removed key are forged', () => {
    fc.assert(
      fc.property(owner, message, (ownerId, sent) => {
        const id = oldMessageId(keyring, ownerId, sent.accountId, sent);
        const opened = openSealedMessageId(rotated, ownerId, id);
        if (opened.kind !== 'opened') throw new Error(opened.kind);
        expect(opened.parts.isIn(sent.place.path)).toBe(true);
        expect(openSealedMessageId(rotated, `${ownerId}?`, id)).toEqual({ kind: 'unknown' });
        expect(openSealedMessageId(strange, ownerId, id)).toEqual({ kind: 'forged' });
      }),
    );
  });
});

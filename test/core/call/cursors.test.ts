import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCursors } from '../../../core/call/cursors.ts';
import { openSealedMessageId } from '../../../core/call/sealed-message-id.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { approvalId } from '../../../core/secrets/record-ids.ts';
import { change, changed, newer, older, owner, random } from './any-identifier.ts';

const keyring = createKeyring([older], random);
const cursors = createCursors(keyring);
const rotated = createCursors(createKeyring([newer, older], random));
const strange = createCursors(createKeyring([newer], random));

describe('cursors', () => {
  const position = fc.oneof(
    fc.tuple(fc.nat()),
    // Of a list of messages: account, uidValidity, uid, INTERNALDATE in milliseconds.
    fc.tuple(
      fc.integer({ min: 1, max: 999_999 }),
      fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String),
      fc.integer({ min: 0, max: 2 ** 32 }),
      fc
        .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
        .map((at) => at.getTime()),
    ),
    // Of a list of approvals: created at, id.
    fc.tuple(
      fc
        .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
        .map((at) => at.getTime()),
      fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => approvalId(() => bytes)),
    ),
  );

  it('open to their position, for the same owner and scope only', () => {
    fc.assert(
      fc.property(owner, fc.string(), position, (ownerId, scope, at) => {
        const cursor = cursors.cursor(ownerId, scope, at);
        expect(cursors.openCursor(ownerId, scope, cursor)).toEqual(at);
        expect(cursors.openCursor(`${ownerId}?`, scope, cursor)).toBeUndefined();
        expect(cursors.openCursor(ownerId, `${scope}?`, cursor)).toBeUndefined();
      }),
    );
  });

  it('keep their form, and at most 120 characters, for every position', () => {
    fc.assert(
      fc.property(owner, position, (ownerId, at) => {
        const cursor = cursors.cursor(ownerId, 'scope', at);
        expect(cursor).toMatch(/^c1_[A-Za-z0-9_-]+$/);
        expect(cursor.length).toBeLessThanOrEqual(120);
      }),
    );
  });

  it('have at most 120 characters for the largest position', () => {
    const greatest = [999_999, String(2n ** 64n - 1n), 2 ** 32, Date.parse('9999-12-31')];
    expect(cursors.cursor('ada', 'scope', greatest).length).toBeLessThanOrEqual(120);
  });

  it('that would be longer are an internal error, not cut', () => {
    expect(() => cursors.cursor('ada', 'scope', ['x'.repeat(80)])).toThrow('120');
  });

  it('with any character changed are invalid', () => {
    fc.assert(
      fc.property(position, change, (at, where) => {
        const cursor = cursors.cursor('ada', 'scope', at);
        expect(cursors.openCursor('ada', 'scope', changed(cursor, where))).toBeUndefined();
      }),
    );
  });

  it('are not message ids, or the other way round', () => {
    const cursor = cursors.cursor('ada', 'scope', [1]);
    expect(openSealedMessageId(keyring, 'ada', `m1_${cursor.slice(3)}`)).toEqual({ kind: 'forged' });
    expect(cursors.openCursor('ada', 'scope', `m1_${cursor.slice(3)}`)).toBeUndefined();
  });

  it('created with an older key are still read', () => {
    const cursor = cursors.cursor('ada', 'scope', [7]);
    expect(rotated.openCursor('ada', 'scope', cursor)).toEqual([7]);
    expect(rotated.openCursor('bob', 'scope', cursor)).toBeUndefined();
    expect(strange.openCursor('ada', 'scope', cursor)).toBeUndefined();
  });
});

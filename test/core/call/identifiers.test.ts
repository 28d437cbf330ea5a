import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdentifiers } from '../../../core/call/identifiers.ts';
import { messageId as messageIdSchema } from '../../../core/contract/schema.ts';
import type { MessageRow } from '../../../core/mail/message-row.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { approvalId, credentialId } from '../../../core/secrets/record-ids.ts';
import { anyGrapheme } from '../../any-character.ts';

const random = (bytes: number) => randomBytes(bytes);
const older = randomBytes(32);
const newer = randomBytes(32);
const identifiers = createIdentifiers(createKeyring([older], random));
const rotated = createIdentifiers(createKeyring([newer, older], random));
const strange = createIdentifiers(createKeyring([newer], random));

const owner = fc.string({ minLength: 1, maxLength: 40 });
const account = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const hex = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));
/** RFC 8474: an EMAILID has at most 255 characters. */
const stableId = fc.stringMatching(/^[A-Za-z0-9_-]{1,255}$/);
const row: fc.Arbitrary<MessageRow> = fc.record({
  place: fc.record({
    path: fc.string({ unit: anyGrapheme, minLength: 1, maxLength: 60 }),
    uidValidity: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String),
    uid: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  }),
  stableId: fc.option(stableId),
  fingerprint: hex,
  messageId: fc.constant(null),
  from: fc.constant('Ada <ada@example.org>'),
  subject: fc.constant('Subject'),
  dateField: fc.constant('Tue, 3 Mar 2026 12:00:00 +0000'),
  date: fc.constant('2026-03-03T12:00:00+00:00'),
  internalDate: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
  sizeBytes: fc.integer({ min: 0, max: 2 ** 40 }),
  flags: fc.constant(new Set<never>()),
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** The character of an id to change, and how far it moves in the alphabet. */
const change = fc.record({
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  by: fc.integer({ min: 1, max: ALPHABET.length - 1 }),
});

/** The id with one character after its prefix changed to a different one of the alphabet. */
function changed(id: string, { at, by }: { at: number; by: number }): string {
  const index = 3 + Math.floor(at * (id.length - 3));
  const other = ALPHABET[(ALPHABET.indexOf(id[index] ?? '') + by) % ALPHABET.length];
  return id.slice(0, index) + other + id.slice(index + 1);
}

describe('message ids', () => {
  it('open to their parts', () => {
    fc.assert(
      fc.property(owner, account, row, (ownerId, accountId, message) => {
        const opened = identifiers.openMessageId(ownerId, identifiers.messageId(ownerId, accountId, message));
        if (opened.kind !== 'opened') throw new Error(opened.kind);
        const { isIn, ...parts } = opened.parts;
        expect(parts).toEqual({
          accountId,
          uidValidity: message.place.uidValidity,
          uid: message.place.uid,
          stableId: message.stableId,
          fingerprint: message.fingerprint.slice(0, 32),
          internalDate: new Date(Math.floor(message.internalDate.getTime() / 1000) * 1000),
          sizeBytes: message.sizeBytes,
        });
        expect(isIn(message.place.path)).toBe(true);
        expect(isIn(`${message.place.path} `)).toBe(false);
      }),
    );
  });

  it('are the same for the same message in the same place', () => {
    fc.assert(
      fc.property(owner, account, row, (ownerId, accountId, message) => {
        const again = { ...message, flags: new Set(['seen'] as const), subject: 'Another' };
        expect(identifiers.messageId(ownerId, accountId, again)).toBe(
          identifiers.messageId(ownerId, accountId, message),
        );
      }),
    );
  });

  it('keep their form and length for any ids of the server', () => {
    fc.assert(
      fc.property(owner, account, row, (ownerId, accountId, message) => {
        const id = identifiers.messageId(ownerId, accountId, message);
        expect(id).toMatch(/^m1_[A-Za-z0-9_-]+$/);
        expect(id.length).toBeGreaterThanOrEqual(4);
        expect(id.length).toBeLessThanOrEqual(1440);
        expect(messageIdSchema.safeParse(id).success).toBe(true);
      }),
    );
  });

  it('of another owner are foreign, not forged', () => {
    fc.assert(
      fc.property(owner, owner, account, row, (ownerId, other, accountId, message) => {
        fc.pre(ownerId !== other);
        const id = identifiers.messageId(ownerId, accountId, message);
        expect(identifiers.openMessageId(other, id)).toEqual({ kind: 'foreign' });
      }),
    );
  });

  it('with any character changed are forged', () => {
    fc.assert(
      fc.property(owner, account, row, change, (ownerId, accountId, message, where) => {
        const id = identifiers.messageId(ownerId, accountId, message);
        expect(identifiers.openMessageId(ownerId, changed(id, where))).toEqual({ kind: 'forged' });
      }),
    );
  });

  it('have one spelling', () => {
    fc.assert(
      fc.property(owner, account, row, (ownerId, accountId, message) => {
        const id = identifiers.messageId(ownerId, accountId, message);
        for (const other of [`${id}=`, `${id}A`, ` ${id}`, `${id}\n`, id.slice(3), `c1_${id.slice(3)}`]) {
          expect(identifiers.openMessageId(ownerId, other)).toEqual({ kind: 'forged' });
        }
      }),
    );
  });

  it.each(['m1_', 'm1_A', 'm1_AAAA', `m1_${'A'.repeat(200)}`, '', 'x'])('%j is forged', (id) => {
    expect(identifiers.openMessageId('ada', id)).toEqual({ kind: 'forged' });
  });

  it('show nothing of the folder', () => {
    fc.assert(
      fc.property(row, (message) => {
        const path = 'INBOX/Divorce';
        const id = identifiers.messageId('ada', 1, { ...message, place: { ...message.place, path } });
        const bytes = Buffer.from(id.slice(3), 'base64url').toString('latin1');
        expect(bytes).not.toContain('INBOX');
        expect(bytes).not.toContain('Divorce');
      }),
    );
  });

  it('created with an older key are still read; those of a removed key are forged', () => {
    fc.assert(
      fc.property(owner, account, row, (ownerId, accountId, message) => {
        const id = identifiers.messageId(ownerId, accountId, message);
        const opened = rotated.openMessageId(ownerId, id);
        if (opened.kind !== 'opened') throw new Error(opened.kind);
        expect(opened.parts.isIn(message.place.path)).toBe(true);
        expect(rotated.openMessageId(`${ownerId}?`, id)).toEqual({ kind: 'foreign' });
        expect(strange.openMessageId(ownerId, id)).toEqual({ kind: 'forged' });
        expect(strange.openMessageId(ownerId, rotated.messageId(ownerId, accountId, message)).kind).toBe(
          'opened',
        );
      }),
    );
  });
});

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
        const cursor = identifiers.cursor(ownerId, scope, at);
        expect(identifiers.openCursor(ownerId, scope, cursor)).toEqual(at);
        expect(identifiers.openCursor(`${ownerId}?`, scope, cursor)).toBeUndefined();
        expect(identifiers.openCursor(ownerId, `${scope}?`, cursor)).toBeUndefined();
      }),
    );
  });

  it('keep their form, and at most 120 characters, for every position', () => {
    fc.assert(
      fc.property(owner, position, (ownerId, at) => {
        const cursor = identifiers.cursor(ownerId, 'scope', at);
        expect(cursor).toMatch(/^c1_[A-Za-z0-9_-]+$/);
        expect(cursor.length).toBeLessThanOrEqual(120);
      }),
    );
  });

  it('have at most 120 characters for the largest position', () => {
    const greatest = [999_999, String(2n ** 64n - 1n), 2 ** 32, Date.parse('9999-12-31')];
    expect(identifiers.cursor('ada', 'scope', greatest).length).toBeLessThanOrEqual(120);
  });

  it('that would be longer are an internal error, not cut', () => {
    expect(() => identifiers.cursor('ada', 'scope', ['x'.repeat(80)])).toThrow('120');
  });

  it('with any character changed are invalid', () => {
    fc.assert(
      fc.property(position, change, (at, where) => {
        const cursor = identifiers.cursor('ada', 'scope', at);
        expect(identifiers.openCursor('ada', 'scope', changed(cursor, where))).toBeUndefined();
      }),
    );
  });

  it('are not message ids, or the other way round', () => {
    const cursor = identifiers.cursor('ada', 'scope', [1]);
    expect(identifiers.openMessageId('ada', `m1_${cursor.slice(3)}`)).toEqual({ kind: 'forged' });
    expect(identifiers.openCursor('ada', 'scope', `m1_${cursor.slice(3)}`)).toBeUndefined();
  });

  it('created with an older key are still read', () => {
    const cursor = identifiers.cursor('ada', 'scope', [7]);
    expect(rotated.openCursor('ada', 'scope', cursor)).toEqual([7]);
    expect(rotated.openCursor('bob', 'scope', cursor)).toBeUndefined();
    expect(strange.openCursor('ada', 'scope', cursor)).toBeUndefined();
  });
});

describe('approval and key ids', () => {
  it('have their prefix, at most 26 characters, and are unique', () => {
    const ids = Array.from({ length: 100 }, () => approvalId(random));
    for (const id of ids) expect(id).toMatch(/^apr_[A-Za-z0-9_-]{22}$/);
    expect(new Set(ids).size).toBe(ids.length);
    expect(credentialId(random)).toMatch(/^key_[0-9a-f]{24}$/);
  });
});

import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../core/mail/fingerprint.ts';

const message = {
  messageId: '<1@example.org>',
  from: 'Ada <ada@example.org>',
  date: 'Tue, 3 Mar 2026 09:05:07 +0100',
  subject: 'Notes',
  sizeBytes: 1234,
  internalDate: new Date('2026-03-03T08:05:09Z'),
};

describe('fingerprintOf', () => {
  it('is a SHA-256 in hex that stays the same from release to release', () => {
    expect(fingerprintOf(message)).toBe('f2296400a8a5cbc734772b664e51db92a9ad05ae38ccc44ecb196570b77c5241');
  });

  it('uses whole seconds of INTERNALDATE', () => {
    expect(fingerprintOf({ ...message, internalDate: new Date('2026-03-03T08:05:09.999Z') })).toBe(
      fingerprintOf(message),
    );
  });

  it.each([
    { messageId: null },
    { messageId: '<2@example.org>' },
    { from: 'ada@example.org' },
    { date: '' },
    { subject: 'Notes ' },
    { sizeBytes: 1235 },
    { internalDate: new Date('2026-03-03T08:05:10Z') },
    { from: 'Ada <ada@example.org>Tue, 3 Mar 2026 09:05:07 +0100', date: '' },
  ])('differs with %j', (change) => {
    expect(fingerprintOf({ ...message, ...change })).not.toBe(fingerprintOf(message));
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkedIds } from '../../../core/mail/linked-ids.ts';
import { answerThreadIndex, threadIndexStart } from '../../../core/mail/thread-index.ts';

/** 2025-11-04, as the first six bytes of a FILETIME. */
const BEGUN = '01dc4d5f3a10';
const GUID = '00112233445566778899aabbccddeeff';
const first = Buffer.from(`${BEGUN}${GUID}`, 'hex');
const answer = Buffer.concat([first, Buffer.from('8000012345', 'hex')]);
const start = first.toString('base64').slice(0, 28);

describe('the start', () => {
  it('is the same in the first message and in its answers', () => {
    for (const bytes of [first, answer, Buffer.concat([answer, Buffer.from('8000054321', 'hex')])]) {
      expect(threadIndexStart(bytes.toString('base64'))).toBe(start);
      expect(threadIndexStart(` ${bytes.toString('base64')}`)).toBe(start);
    }
  });

  it.each([
    ['', 'nothing'],
    ['Re: Plan', 'words'],
    [first.toString('base64').slice(0, 28), 'too few bytes'],
    [Buffer.concat([Buffer.of(2), first.subarray(1)]).toString('base64'), 'another first byte'],
  ])('of %j (%s) is null', (value) => {
    expect(threadIndexStart(value)).toBeNull();
  });

  it('is an id of the conversation where the message names no other', () => {
    const field = `Thread-Index: ${answer.toString('base64')}`;
    expect(linkedIds(Buffer.from(`Message-ID: <2@x>\n${field}\n\n`))).toEqual([
      '<2@x>',
      `thread-index:${start}`,
    ]);
    const named = `Message-ID: <2@x>\nIn-Reply-To: <1@x>\n${field}\n\n`;
    expect(linkedIds(Buffer.from(named))).toEqual(['<2@x>', '<1@x>']);
  });
});

describe('that of an answer', () => {
  const bytesOf = (value: string | undefined) => Buffer.from(value ?? '', 'base64');
  const begunAt = new Date(Number((BigInt(`0x${BEGUN}`) << 16n) / 10_000n - 11_644_473_600_000n));

  it.each([
    ['at once', 0, 0],
    // 2^18 units of 100 ns each.
    ['after 27 milliseconds', 27, 1],
    ['after an hour', 3_600_000, Math.floor(36e9 / 2 ** 18)],
    ['after three years', 3 * 365 * 86_400_000, 2 ** 31 + Math.floor((3 * 365 * 864e9) / 2 ** 23)],
    ['before it, by a wrong clock', -60_000, 0],
  ])('says when it was written: %s', (_when, afterMs, steps) => {
    const value = bytesOf(answerThreadIndex(first.toString('base64'), new Date(begunAt.getTime() + afterMs)));
    expect(value.subarray(0, 22)).toEqual(first);
    expect(value).toHaveLength(27);
    expect(value.readUInt32BE(22)).toBe(steps);
  });

  it('follows those of the messages before it', () => {
    const value = bytesOf(answerThreadIndex(answer.toString('base64'), begunAt));
    expect(value.subarray(0, 27)).toEqual(answer);
    expect(value).toHaveLength(32);
  });

  it('is missing where the parent has none', () => {
    for (const parent of [undefined, '', 'words']) expect(answerThreadIndex(parent, begunAt)).toBeUndefined();
  });

  it('stays in the conversation and in a line, whatever follows the start', () => {
    const rest = fc.uint8Array({ maxLength: 2_000 });
    fc.assert(
      fc.property(rest, fc.date({ noInvalidDate: true }), (more, at) => {
        const value = answerThreadIndex(Buffer.concat([first, more]).toString('base64'), at) ?? '';
        expect(threadIndexStart(value)).toBe(start);
        expect(value).toMatch(/^[A-Za-z0-9+/]+=*$/);
        expect(value.length).toBeLessThan(900);
        expect((bytesOf(value).length - 22) % 5).toBe(0);
      }),
    );
  });
});

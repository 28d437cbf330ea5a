import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageLinks } from '../../../adapters/imap/message-links.ts';

describe('links between messages', () => {
  const message = fc.record({
    gap: fc.integer({ min: 1, max: 1000 }),
    // Few ids, so that many messages name the same; some beyond 32 bits, which share a bucket with others.
    ids: fc.uniqueArray(
      fc.oneof(
        fc.nat(40),
        fc.nat(40).map((id) => id + 2 ** 32),
        fc.nat(2 ** 31 - 1).map((id) => id * 2 ** 17),
      ),
      { maxLength: 12 },
    ),
  });

  it('are those that were added, however many', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 300 }), (messages) => {
        const links = messageLinks();
        const added = new Map<number, number[]>();
        let uid = 0;
        for (const { gap, ids } of messages) {
          uid += gap;
          links.add(uid, ids);
          added.set(uid, ids);
        }
        expect(links.size).toBe([...added.values()].flat().length);
        for (const [one, ids] of added) expect(links.idsOf(one)).toEqual(ids);
        expect(links.idsOf(uid + 1)).toBeUndefined();
        const every = new Set([...added.values()].flat());
        for (const id of [...every, 41]) {
          const naming = [...added].flatMap(([one, ids]) => (ids.includes(id) ? [one] : []));
          expect([...links.naming(id)].sort((a, b) => a - b)).toEqual(naming);
        }
      }),
    );
  });

  it('of a hundred thousand messages are found again', () => {
    const links = messageLinks();
    for (let uid = 1; uid <= 100_000; uid++) links.add(uid, [uid, uid - 1, Math.floor(uid / 50)]);
    expect(links.size).toBe(300_000);
    expect([...links.naming(77_777)].sort((a, b) => a - b)).toEqual([77_777, 77_778]);
    expect(links.naming(1000)).toHaveLength(52);
    expect(links.idsOf(99_999)).toEqual([99_999, 99_998, 1999]);
  });
});

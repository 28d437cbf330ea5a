import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleForChild } from '../../run-typescript.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { newMailLines, soakNewMail } from './new-mail.ts';
import { compare, type Ledger } from './new-mail-ledger.ts';

/** One whose faults all come early. */
const SEED = 93_946;

describe.skipIf(missingServers().length > 0)(titled('a short soak of new mail'), () => {
  it('reports and links every message, and nothing else', async () => {
    const actorFile = await bundleForChild(join(import.meta.dirname, 'new-mail-actor.ts'));
    const options = { actorFile, seed: SEED, until: Date.now(), database: 'sqlite' } as const;
    const report = await soakNewMail(options);
    console.log(newMailLines(options, report));
    expect(report.faults, report.log).toEqual([]);
    expect(report.reportedTwice).toEqual([]);
    expect(report.delivered).toBeGreaterThan(0);
  });
});

describe('the comparison of a soak of new mail', () => {
  const whole = {
    delivered: new Set(['a', 'b']),
    uncertain: new Set<string>(),
    events: [
      { eventId: '1', body: '', subject: 'a' },
      { eventId: '2', body: '', subject: 'b' },
    ],
    storedEventIds: ['1', '2'],
    linked: ['a', 'b'],
  };

  it.each<[string, Partial<Ledger>, Partial<ReturnType<typeof compare>>]>([
    ['nothing if all is well', {}, {}],
    [
      'a message that was not reported',
      { delivered: new Set(['a', 'b', 'c']), linked: ['a', 'b', 'c'] },
      { missing: ['c: not reported'] },
    ],
    ['a message that was not linked', { linked: ['a'] }, { missing: ['b: not linked'] }],
    [
      'a message that was not delivered',
      { delivered: new Set(['a']) },
      { wrong: ['b: reported, but not delivered', 'b: linked, but not delivered'] },
    ],
    ['no message that may have been delivered', { delivered: new Set(['a']), uncertain: new Set(['b']) }, {}],
    ['a message that was linked twice', { linked: ['a', 'b', 'a'] }, { wrong: ['a: linked twice'] }],
    [
      'a message of two events',
      {
        events: [...whole.events, { eventId: '3', body: '', subject: 'a' }],
        storedEventIds: ['1', '2', '3'],
      },
      { reportedTwice: ['a'] },
    ],
    [
      'an event that was not posted',
      { storedEventIds: ['1', '2', '3'] },
      { missing: ['3: stored, but not posted'] },
    ],
    ['an event that was not stored', { storedEventIds: ['1'] }, { wrong: ['2: posted, but not stored'] }],
  ])('finds %s', (_, changed, found) => {
    expect(compare({ ...whole, ...changed })).toEqual({
      missing: [],
      wrong: [],
      reportedTwice: [],
      ...found,
    });
  });
});

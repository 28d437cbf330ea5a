import { describe, expect, it } from 'vitest';
import { casesOf } from '../only-long.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { ADAPTER_FILLERS, DOVECOT_FILLERS } from './adapter-fillers.ts';
import { CORE_FILLERS } from './core-fillers.ts';
import type { Filler } from './filler.ts';
import { heldBytes } from './heap.ts';

/** What the process itself comes to hold meanwhile: compiled code, and what libraries keep. */
const SLACK_BYTES = 2 * 1024 * 1024;
const TITLE = 'a cache that is filled, and half filled again, takes no more memory than it may';

describe(TITLE, () => {
  it.each(Object.entries({ ...CORE_FILLERS, ...ADAPTER_FILLERS }))('%s', (_name, filler) =>
    staysWithin(filler),
  );
});

describe.skipIf(missingServers().length > 0)(titled(TITLE), () => {
  const fillers = Object.entries(DOVECOT_FILLERS);
  const inGate = casesOf('caches: conversations', fillers, ([name]) => !name.endsWith('.index'));
  it.each(inGate)('%s', (_name, filler) => staysWithin(filler));
});

async function staysWithin({ mostBytes, rounds, open }: Filler): Promise<void> {
  // Code is compiled.
  await (await open())(0);
  const fill = await open();
  const before = await heldBytes();
  for (let round = 0; round < rounds; round += 1) await fill(round);
  const once = (await heldBytes()) - before;
  for (let round = rounds; round < 1.5 * rounds; round += 1) await fill(round);
  const more = (await heldBytes()) - before;
  // It is alive until here.
  expect(fill).toBeTypeOf('function');
  expect(once).toBeLessThan(mostBytes + SLACK_BYTES);
  expect(more).toBeLessThan(mostBytes + SLACK_BYTES);
}

import { describe, expect, it } from 'vitest';
import { approvalOf, idsIn, letter, openScene } from './scene.ts';

// The owner's page shows what a plan displays, not its record: so the display must say all that the record says.

const CALLS: [tool: string, args: (ids: string[]) => object][] = [
  ['archive_email', (ids) => ({ ids })],
  ['delete_email', (ids) => ({ ids })],
  ['move_email', (ids) => ({ ids, target_folder: 'Projects/Atlas' })],
  ['label_email', (ids) => ({ ids, label: 'A label' })],
  ['create_tracker', () => ({ title: 'A title', keywords: 'one, two', due: '2026-12-24' })],
];

/** The time zone of the owner is nothing that a request could change. */
const NOT_SHOWN = ['UTC'];

function textsIn(value: unknown): unknown[] {
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [value];
}

describe('what is displayed of a request', () => {
  it.each(CALLS)('says all that %s will do', async (tool, argsFor) => {
    const scene = await openScene({ samples: () => [letter('1')] });
    const key = await scene.addKey('full', { 'trackers:write': 'approval' });
    const outcome = await key.call(tool, argsFor(await idsIn(key)));
    const plan = (await scene.service.approvals.show(scene.ownerId, approvalOf(outcome).id))?.plan;
    const recorded = textsIn(plan?.record).filter((text) => !NOT_SHOWN.includes(String(text)));
    expect(recorded.length).toBeGreaterThan(0);
    const shown = plan?.display.map(({ text }) => text);
    for (const text of recorded) expect(shown).toContain(text);
  });
});

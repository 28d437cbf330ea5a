import { describe, expect, it } from 'vitest';
import type { MailFlag } from '../../core/mail/listed-message.ts';
import { openCrashing } from './crashed-run.ts';
import {
  approvalOf,
  approve,
  idsIn,
  letter,
  OWN,
  openScene,
  resultOf,
  type Scene,
  shownOf,
} from './scene.ts';

// mark_read has its own file. These two differ from it only in the flag.

const FLAGS: [tool: string, state: string, flag: MailFlag, on: boolean][] = [
  ['mark_unread', 'unread', 'seen', false],
  ['flag_email', 'flagged', 'flagged', true],
];

const samples = () => ['a', 'b'].map((id, n) => letter(id, { minutesAgo: n + 1, flags: ['seen'] }));

async function has(scene: Scene, flag: MailFlag): Promise<boolean[]> {
  const account = { ownerId: scene.ownerId, accountId: 1, email: OWN, settings: async () => ({}) };
  const call = { account, signal: new AbortController().signal, deadlineMs: 1000 };
  const query = { path: 'INBOX', unread: false, order: 'uid', after: undefined, limit: 5 } as const;
  return (await scene.mail.list(call, query)).rows.map(({ flags }) => flags.has(flag)).toReversed();
}

describe.each(FLAGS)('%s', (tool, state, flag, on) => {
  it('runs immediately for one message and returns the new state, even when repeated', async () => {
    const scene = await openScene({ samples });
    const key = await scene.addKey('organise');
    const [id] = await idsIn(key);
    for (let times = 0; times < 2; times++) {
      expect(await key.call(tool, { id })).toEqual({
        status: 'ok',
        executed: true,
        auto_approved: true,
        result: { id, account_id: 1, folder: 'INBOX', state, matches_request: true },
      });
      expect((await has(scene, flag)).toSorted()).toEqual([!on, on].toSorted());
    }
  });

  it('waits for several messages on the free plan, and shows them to the owner', async () => {
    const scene = await openScene({ samples, plan: 'free' });
    const key = await scene.addKey('organise');
    const ids = await idsIn(key);
    const outcome = await key.call(tool, { ids });
    expect(approvalOf(outcome)).toMatchObject({ tool, state: 'pending' });
    const shown = await shownOf(scene, approvalOf(outcome).id);
    expect(shown.details).toEqual([{ label: 'Change', text: `mark as ${state}` }]);
    expect(shown.targets).toMatchObject([{ preview: 'Text a' }, { preview: 'Text b' }]);
    expect(await has(scene, flag)).toEqual([!on, !on]);
    await approve(scene, approvalOf(outcome).id);
    expect(await has(scene, flag)).toEqual([on, on]);
  });

  it.each([
    [1, 'before'],
    [1, 'after'],
    [2, 'before'],
    [2, 'after'],
  ] as const)('that a crash ended at message %i, %s it, is done all the same', async (at, when) => {
    const { scene, key, runs, recovered } = await openCrashing({ at, when }, { samples });
    const ids = await idsIn(key);
    const id = await runs(tool, { ids });
    expect((await recovered(id)).result).toEqual({
      done: true,
      action: tool,
      items: ids.map((one) => ({ id: one, account_id: 1, done: true, state, matches_request: true })),
    });
    expect(await has(scene, flag)).toEqual([on, on]);
  });

  it('with a repeated Idempotency-Key gets the same response again', async () => {
    const scene = await openScene({ samples });
    const key = await scene.addKey('organise');
    const [id] = await idsIn(key);
    const first = await key.call(tool, { id }, 'k');
    expect(resultOf(first).state).toBe(state);
    expect(await key.call(tool, { id }, 'k')).toEqual(first);
  });
});

import { describe, expect, it } from 'vitest';
import type { Mode } from '../../core/keys/permissions.ts';
import { MailError } from '../../core/ports/mail.ts';
import { openCrashing } from './crashed-run.ts';
import {
  approvalOf,
  approve,
  detailsOf,
  idsIn,
  letter,
  OWN,
  openScene,
  type Scene,
  type SceneOptions,
  shownOf,
} from './scene.ts';

const samples = () => [letter('a', { minutesAgo: 1 }), letter('b', { minutesAgo: 2 })];

async function open(mode: Mode, options: SceneOptions = {}) {
  const scene = await openScene({ samples, ...options });
  const key = await scene.addKey('full', { 'mail:manage': mode });
  return { scene, key, ids: await idsIn(key) };
}

/** The labels of the messages of the inbox, newest first. */
async function labels({ mail, ownerId }: Scene): Promise<unknown> {
  const account = { ownerId, accountId: 1, email: OWN, settings: async () => ({}) };
  return (await mail.keywords(account, 'INBOX')).toReversed();
}

describe('label_email', () => {
  it('waits in mode approval and shows the label; once approved, labels each message', async () => {
    const { scene, key, ids } = await open('approval');
    const outcome = await key.call('label_email', { ids, label: 'To pay: \u{1f4b6}' });
    expect(approvalOf(outcome)).toMatchObject({ tool: 'label_email', action: 'label', state: 'pending' });
    const { id } = approvalOf(outcome);
    const shown = await shownOf(scene, id);
    expect(shown.details).toEqual([{ label: 'Label', text: 'To pay: \u{1f4b6}' }]);
    expect(shown.targets).toMatchObject([
      { subject: 'Subject a', preview: 'Text a' },
      { subject: 'Subject b', preview: 'Text b' },
    ]);
    expect(await labels(scene)).toEqual([[], []]);
    const { approval } = await approve(scene, id);
    expect(approval.result).toEqual({
      done: true,
      action: 'label',
      items: ids.map((one) => ({ id: one, account_id: 1, done: true, labelled_by: 'keyword' })),
    });
    expect(await labels(scene)).toEqual([['To pay: \u{1f4b6}'], ['To pay: \u{1f4b6}']]);
  });

  it('runs immediately in mode direct, on that message only', async () => {
    const { scene, key, ids } = await open('direct');
    expect(await key.call('label_email', { id: ids[1], label: 'Bills' })).toMatchObject({
      executed: true,
      auto_approved: true,
      result: { approval: { result: { done: true, action: 'label' } } },
    });
    expect(await labels(scene)).toEqual([[], ['Bills']]);
  });

  it.each(['\\Seen', '\\x', 'Sent', 'dRAFTS', 'inbox', 'INBOX.Sent', 'inbox/archive', 'inbox.', 'In\\box'])(
    '%s is refused before it is filed: a server label, or the name of a folder with a role',
    async (label) => {
      const { scene, key, ids } = await open('direct');
      expect(detailsOf(await key.call('label_email', { ids, label }))).toMatchObject({
        code: 'invalid_arguments',
        errors: [{ field: 'label', rule: 'reserved' }],
      });
      expect(await labels(scene)).toEqual([[], []]);
    },
  );

  it.each(['Projects/Atlas', 'Sentences', 'Sent to clients', 'Draft contract', '2024', '\u{1f4b6}'])(
    '%s is allowed',
    async (label) => {
      const { scene, key, ids } = await open('direct');
      expect((await key.call('label_email', { id: ids[0], label })).status).toBe('ok');
      expect(await labels(scene)).toEqual([[label], []]);
    },
  );

  it('that the server does not keep fails', async () => {
    const { key, ids } = await open('direct', {
      mailAs: (mail) => ({
        ...mail,
        label: async () => {
          throw new MailError('refused', 'A folder of that name has a purpose of its own.');
        },
      }),
    });
    expect(detailsOf(await key.call('label_email', { id: ids[0], label: 'Late' }))).toEqual({
      code: 'upstream_mail_error',
    });
  });

  it('with a different label is a different request for the same target', async () => {
    const { key, ids } = await open('approval');
    const { id } = approvalOf(await key.call('label_email', { id: ids[0], label: 'One' }));
    for (const label of ['One', 'Two']) {
      expect(detailsOf(await key.call('label_email', { id: ids[0], label }))).toEqual({
        code: 'pending_exists_for_target',
        approval_id: id,
      });
    }
  });

  it.each(['before', 'after'] as const)(
    'that crashes %s the label is set has an unknown outcome: it may have been a copy',
    async (when) => {
      const { scene, key, runs, recovered } = await openCrashing({ at: 1, when }, { samples });
      const ids = await idsIn(key);
      const id = await runs('label_email', { id: ids[0], label: 'Bills' });
      expect((await recovered(id)).state).toBe('outcome_unknown');
      expect(await labels(scene)).toEqual([when === 'after' ? ['Bills'] : [], []]);
    },
  );
});

import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import type { SampleMessage } from '../../adapters/sandbox/sample-message.ts';
import { errorOf } from '../../core/approvals/approval.ts';
import type { Mode } from '../../core/keys/permissions.ts';
import { MailError, type MailErrorCode } from '../../core/ports/mail.ts';
import type { TestKey } from '../open-service.ts';
import { openCrashing } from './crashed-run.ts';
import {
  approvalOf,
  approve,
  detailsOf,
  idsIn,
  letter,
  OWN,
  openScene,
  pageSchema,
  resultOf,
  type Scene,
  type SceneOptions,
  shownOf,
} from './scene.ts';

const OTHER = 'other@countersign.test';

function letters(count: number): SampleMessage[] {
  return Array.from({ length: count }, (_, n) => letter(String(n), { minutesAgo: n + 1 }));
}

async function open(mode: Mode, count = 1, options: SceneOptions = {}) {
  const scene = await openScene({ samples: () => letters(count), ...options });
  const key = await scene.addKey('full', { 'mail:manage': mode });
  return { scene, key, ids: await idsIn(key) };
}

async function subjectsIn(key: TestKey, folder: string): Promise<string[]> {
  const page = pageSchema.parse(resultOf(await key.call('summarize_inbox', { folder, limit: 50 })));
  return page.messages.map(({ subject }) => subject).sort();
}

function accountOf({ ownerId }: Scene) {
  return { ownerId, accountId: 1, email: OWN, settings: async () => ({}) };
}

/** Another program moves the newest message of the inbox. */
async function moveElsewhere(scene: Scene, path: string): Promise<void> {
  const call = { account: accountOf(scene), signal: new AbortController().signal, deadlineMs: 1000 };
  const query = { path: 'INBOX', unread: false, order: 'uid', after: undefined, limit: 1 } as const;
  const [row] = (await scene.mail.list(call, query)).rows;
  if (row === undefined) throw new Error('the inbox is empty');
  await scene.mail.move(call, row.place, path, async () => true);
}

const TOOLS: [tool: string, args: object, action: string, folder: string][] = [
  ['archive_email', {}, 'archive', 'Archive'],
  ['delete_email', {}, 'delete', 'Trash'],
  ['move_email', { target_folder: 'Projects/Atlas' }, 'move', 'Projects/Atlas'],
];

describe.each(TOOLS)('%s', (tool, args, action, folder) => {
  it('waits in mode approval; once approved, moves that message and no other', async () => {
    const { scene, key, ids } = await open('approval', 2);
    const outcome = await key.call(tool, { id: ids[0], ...args });
    expect(approvalOf(outcome)).toMatchObject({ tool, action, state: 'pending' });
    expect(await subjectsIn(key, 'inbox')).toEqual(['Subject 0', 'Subject 1']);
    const { approval } = await approve(scene, approvalOf(outcome).id);
    expect(approval).toMatchObject({
      state: 'executed',
      result: { done: true, action, items: [{ id: ids[0], account_id: 1, done: true }] },
    });
    expect([await subjectsIn(key, 'inbox'), await subjectsIn(key, folder)]).toEqual([
      ['Subject 1'],
      ['Subject 0'],
    ]);
  });

  it('runs immediately in mode direct, and the id still finds the message in its new place', async () => {
    const { key, ids } = await open('direct');
    const [id] = ids;
    expect(await key.call(tool, { id, ...args })).toMatchObject({
      status: 'ok',
      executed: true,
      auto_approved: true,
      result: { approval: { state: 'executed', result: { done: true, action } } },
    });
    expect(resultOf(await key.call('get_email', { id }))).toMatchObject({ folder, subject: 'Subject 0' });
  });

  it('moves each of several messages once, even if one is named twice or exists twice', async () => {
    const twin = letter('twin', { subject: 'Twin' });
    const { key, ids } = await open('direct', 0, { samples: () => [...letters(2), twin, twin] });
    expect(ids).toHaveLength(4);
    const outcome = await key.call(tool, { ids: [...ids, ids[1]], ...args });
    expect(approvalOf(outcome)).toMatchObject({
      result: { items: ids.map((id) => ({ id, account_id: 1, done: true })) },
    });
    expect(await subjectsIn(key, folder)).toEqual(['Subject 0', 'Subject 1', 'Twin', 'Twin']);
    expect(await subjectsIn(key, 'inbox')).toEqual([]);
  });

  it('moves a message once if it is named by its ids from before and after a move', async () => {
    const { scene, key, ids } = await open('direct');
    await moveElsewhere(scene, 'Spam');
    const [moved] = await idsIn(key, 'Spam');
    expect(moved).not.toBe(ids[0]);
    const outcome = await key.call(tool, { ids: [ids[0], moved], ...args });
    expect(approvalOf(outcome)).toMatchObject({ result: { items: [{ id: ids[0], done: true }] } });
    expect(approvalOf(outcome).result).toHaveProperty('items.length', 1);
    expect(await subjectsIn(key, folder)).toEqual(['Subject 0']);
  });

  it.each([
    ['paid', 50],
    ['free', 25],
  ] as const)('takes at most what the %s plan allows: %i', async (plan, most) => {
    const { key, ids } = await open('approval', most, { plan });
    const more = [...ids, `${ids[0]}A`];
    expect(detailsOf(await key.call(tool, { ids: more, ...args }))).toEqual({
      code: 'too_many_targets',
      max_targets: most,
    });
    const outcome = await key.call(tool, { ids, ...args });
    expect(approvalOf(outcome).state).toBe('pending');
  });

  it('is refused for a message that is already in that folder, and names it', async () => {
    const { key } = await open('direct', 0, { samples: () => [letter('in'), letter('there', { folder })] });
    const [moves] = await idsIn(key);
    const [there] = await idsIn(key, folder);
    for (const [given, field] of [
      [{ id: there }, 'id'],
      [{ ids: [moves, there] }, 'ids[1]'],
    ] as const) {
      expect(detailsOf(await key.call(tool, { ...given, ...args }))).toMatchObject({
        code: 'invalid_arguments',
        errors: [{ field, rule: 'same_folder' }],
      });
    }
    expect(await subjectsIn(key, 'inbox')).toEqual(['Subject in']);
  });

  it('fails for a message that no longer exists, and moves nothing', async () => {
    const { scene, key, ids } = await open('approval');
    const { id } = approvalOf(await key.call(tool, { id: ids[0], ...args }));
    const elsewhere = await scene.addKey('full', { 'mail:manage': 'direct' });
    await elsewhere.call('move_email', { id: ids[0], target_folder: 'Spam' });
    expect((await approve(scene, id)).approval).toMatchObject({ state: 'failed', error: 'not_found' });
    expect(await subjectsIn(key, 'Spam')).toEqual(['Subject 0']);
  });

  it('shows the owner each message, with a line of its text, and the target folder', async () => {
    const text = `Dear  all,\n\n${'long '.repeat(100)}`;
    const samples = () => [letter('a', { text }), letter('b', { subject: 'Other', minutesAgo: 61 })];
    const { scene, key, ids } = await open('approval', 0, { samples });
    const { id } = approvalOf(await key.call(tool, { ids, ...args }));
    const shown = await shownOf(scene, id);
    expect(shown.targets).toMatchObject([
      { subject: 'Subject a', path: 'INBOX', preview: `Dear all, ${'long '.repeat(26).trimEnd()}…` },
      { subject: 'Other', path: 'INBOX', preview: 'Text b' },
    ]);
    expect(shown.details).toEqual([{ label: 'To folder', text: folder }]);
  });
});

it('a folder that another program just created can be listed, and moved into', async () => {
  const { key, ids } = await open('direct', 1, {
    mailAs: (mail) => ({
      ...mail,
      folders: async (call, options) =>
        (await mail.folders(call, options)).filter(
          ({ path }) => options?.fresh === true || path !== 'Projects/Atlas',
        ),
    }),
  });
  const outcome = await key.call('move_email', { id: ids[0], target_folder: 'Projects/Atlas' });
  expect(approvalOf(outcome)).toMatchObject({ state: 'executed' });
  expect(await subjectsIn(key, 'Projects/Atlas')).toEqual(['Subject 0']);
});

it('a very long subject or name does not push other requests off the page', async () => {
  const long = letter('long', {
    subject: 'x'.repeat(800),
    from: `${'n'.repeat(800)} <n@example.org>`,
  });
  const { scene, key, ids } = await open('approval', 0, { samples: () => [long] });
  const { id } = approvalOf(await key.call('archive_email', { ids }));
  const [target] = (await shownOf(scene, id)).targets;
  expect([target?.subject, target?.from]).toEqual([
    expect.stringMatching(/^x{400,}…$/),
    expect.stringMatching(/^n{100,}… <n@example\.org>$/),
  ]);
  expect((await approve(scene, id)).approval.state).toBe('executed');
});

describe('move_email', () => {
  it.each(['Nowhere', 'archive', 'projects/atlas', 'INBOX '])('knows no folder %j', async (target_folder) => {
    const { key, ids } = await open('direct');
    expect(detailsOf(await key.call('move_email', { id: ids[0], target_folder }))).toEqual({
      code: 'not_found',
      reason: 'folder',
    });
  });

  it.each(['Sent', 'Drafts'])(
    'into %s waits for the owner in mode direct, with a line of text',
    async (name) => {
      const { scene, key, ids } = await open('direct');
      const outcome = await key.call('move_email', { id: ids[0], target_folder: name });
      expect(outcome.status).toBe('pending_approval');
      const view = await scene.service.approvals.show(scene.ownerId, approvalOf(outcome).id);
      expect(view?.approval.reasons).toEqual(['into_sent_or_drafts']);
      expect(view?.findings[0]?.sentence.join('')).toMatch(/Sent or Drafts/);
      const { targets } = await shownOf(scene, approvalOf(outcome).id);
      expect(targets).toMatchObject([{ preview: 'Text 0' }]);
      expect(await subjectsIn(key, 'inbox')).toEqual(['Subject 0']);
    },
  );

  it('fails if the folder no longer exists, and moves nothing', async () => {
    let gone = false;
    const { scene, key, ids } = await open('approval', 2, {
      mailAs: (mail) => ({
        ...mail,
        async move(call, place, to, start) {
          if (gone) throw new MailError('not_found', 'There is no such folder.');
          return mail.move(call, place, to, start);
        },
      }),
    });
    const { id } = approvalOf(await key.call('move_email', { ids, target_folder: 'Projects/Atlas' }));
    gone = true;
    expect((await approve(scene, id)).approval).toMatchObject({ state: 'failed', error: 'not_found' });
  });

  it('is the same request however its messages are named, and a different one for a different folder', async () => {
    const { key, ids } = await open('approval', 2);
    const { id } = approvalOf(await key.call('move_email', { ids, target_folder: 'Archive' }));
    for (const [tool, args] of [
      ['move_email', { ids: [ids[1], ids[0]], target_folder: 'Archive' }],
      ['move_email', { id: ids[1], target_folder: 'Spam' }],
      ['label_email', { id: ids[0], label: 'Label' }],
    ] as const) {
      expect(detailsOf(await key.call(tool, args))).toEqual({
        code: 'pending_exists_for_target',
        approval_id: id,
      });
    }
  });
});

describe('a move of messages of two accounts', () => {
  async function openBoth(options: SceneOptions = {}) {
    const scene = await openScene({ samples: (owner) => [letter(owner)], ...options });
    await scene.service.accounts.connect({ ownerId: scene.ownerId, email: OTHER, settings: {} });
    const key = await scene.addKey('full');
    const ids = await idsIn(key);
    expect(ids).toHaveLength(2);
    return { scene, key, ids };
  }

  it('puts each into the folder of its own account, and the owner sees both', async () => {
    const { scene, key, ids } = await openBoth();
    const { id } = approvalOf(await key.call('archive_email', { ids }));
    const shown = await shownOf(scene, id);
    expect(shown.account).toBeNull();
    expect(shown.details).toEqual([
      { label: `To folder, account 1 (${OWN})`, text: 'Archive' },
      { label: `To folder, account 2 (${OTHER})`, text: 'Archive' },
    ]);
    await approve(scene, id);
    expect(await subjectsIn(key, 'archive')).toEqual([`Subject ${OWN}`, `Subject ${OTHER}`].sort());
  });

  it.each([1, 2])('is cancelled as a whole when account %d is removed', async (accountId) => {
    const { scene, key, ids } = await openBoth();
    const { id } = approvalOf(await key.call('archive_email', { ids }));
    await scene.service.accounts.remove(scene.ownerId, accountId);
    expect((await scene.service.approvals.show(scene.ownerId, id))?.approval).toMatchObject({
      state: 'cancelled',
      error: 'account_removed',
    });
    expect((await approve(scene, id)).won).toBe(false);
    expect(await subjectsIn(key, 'archive')).toEqual([]);
  });

  it('needs a folder of that name in each of them', async () => {
    const { key, ids } = await openBoth({
      mailAs: (mail) => ({
        ...mail,
        async folders(call, options) {
          const folders = await mail.folders(call, options);
          return call.account.accountId === 2
            ? folders.filter(({ path }) => !path.startsWith('Projects'))
            : folders;
        },
      }),
    });
    const outcome = await key.call('move_email', { ids, target_folder: 'Projects/Atlas' });
    expect(detailsOf(outcome)).toEqual({ code: 'not_found', reason: 'folder' });
  });
});

describe('an account without a folder for the archive', () => {
  it('gets one when the move runs, not when it is requested, and the owner is informed', async () => {
    let made = 0;
    const { scene, key, ids } = await open('approval', 1, {
      mailAs: (mail) => ({
        ...mail,
        async folders(call, options) {
          const folders = await mail.folders(call, options);
          return made > 0 ? folders : folders.filter(({ path }) => path !== 'Archive');
        },
        async createFolder(call, name) {
          made += 1;
          return mail.createFolder(call, name);
        },
      }),
    });
    const { id } = approvalOf(await key.call('archive_email', { id: ids[0] }));
    const shown = await shownOf(scene, id);
    expect(shown.details).toEqual([{ label: 'To folder', text: 'Archive (a new folder)' }]);
    expect(made).toBe(0);
    expect((await approve(scene, id)).approval.state).toBe('executed');
    expect(made).toBe(1);
    expect(await subjectsIn(key, 'archive')).toEqual(['Subject 0']);
  });
});

describe('a bulk move that succeeds in part', () => {
  /** The n-th message's move fails with the n-th code, if there is one. */
  async function openFailing(codes: readonly (MailErrorCode | undefined)[]) {
    let calls = 0;
    const opened = await open('approval', codes.length, {
      mailAs: (mail) => ({
        ...mail,
        async move(call, place, to, start) {
          const code = codes[calls++];
          if (code === undefined) return mail.move(call, place, to, start);
          await start();
          throw new MailError(code, 'The server did not do it.');
        },
      }),
    });
    const { id } = approvalOf(await opened.key.call('archive_email', { ids: opened.ids }));
    return { ...opened, approval: (await approve(opened.scene, id)).approval };
  }

  it('reports the result for each message', async () => {
    const { approval, ids } = await openFailing(['refused', undefined, 'outcome_unknown', 'not_found']);
    expect(approval.state).toBe('executed');
    expect(approval.result?.items).toEqual([
      { id: ids[0], account_id: 1, done: false, code: 'upstream_mail_error' },
      { id: ids[1], account_id: 1, done: true },
      { id: ids[2], account_id: 1, done: false, code: 'outcome_unknown' },
      { id: ids[3], account_id: 1, done: false, code: 'not_found' },
    ]);
  });

  it.each([
    [['refused', 'outcome_unknown', 'not_found'], 'outcome_unknown', null],
    [['outcome_unknown'], 'outcome_unknown', null],
    [['not_found', 'refused'], 'failed', 'not_found'],
    [['refused', 'not_found'], 'failed', 'upstream_mail_error'],
  ] as const)('when none was certainly moved (%j) ends %s', async (codes, state, error) => {
    const { approval } = await openFailing(codes);
    expect([approval.state, errorOf(approval)]).toEqual([state, error]);
  });

  it('that could not start is tried again', async () => {
    const { scene, key, ids } = await open('approval', 2, {
      mailAs: (mail) => ({
        ...mail,
        row: async (call, place) => {
          if (call.deadlineMs > 60_000) throw new MailError('unavailable', 'The server is away.');
          return mail.row(call, place);
        },
      }),
    });
    const { id } = approvalOf(await key.call('archive_email', { ids }));
    expect((await approve(scene, id)).approval).toMatchObject({ state: 'approved', startedAt: null });
  });
});

describe('a move that crashed', () => {
  const samples = () => letters(3);

  it('before the first message is run again', async () => {
    const { key, runs, recovered } = await openCrashing({ at: 1, when: 'before' }, { samples });
    const id = await runs('archive_email', { ids: await idsIn(key) });
    expect(await recovered(id)).toMatchObject({
      state: 'executed',
      result: { done: true, items: [{ done: true }, { done: true }, { done: true }] },
    });
    expect(await subjectsIn(key, 'archive')).toEqual(['Subject 0', 'Subject 1', 'Subject 2']);
  });

  it('after the last message is executed', async () => {
    const { key, runs, recovered } = await openCrashing({ at: 3, when: 'after' }, { samples });
    const ids = await idsIn(key);
    const id = await runs('move_email', { ids, target_folder: 'Projects/Atlas' });
    expect(await recovered(id)).toMatchObject({
      state: 'executed',
      result: {
        done: true,
        action: 'move',
        items: ids.map((one) => ({ id: one, account_id: 1, done: true })),
      },
    });
  });

  it('in the middle is executed for the moved messages; the others stay and are named', async () => {
    const { key, runs, recovered } = await openCrashing({ at: 2, when: 'after' }, { samples });
    const ids = await idsIn(key);
    const id = await runs('delete_email', { ids });
    expect((await recovered(id)).result?.items).toEqual([
      { id: ids[0], account_id: 1, done: true },
      { id: ids[1], account_id: 1, done: true },
      { id: ids[2], account_id: 1, done: false, code: 'interrupted' },
    ]);
    expect(await subjectsIn(key, 'inbox')).toEqual(['Subject 2']);
  });

  it('is unknown if the message is now in both places, and does not move it again', async () => {
    const { scene, key, runs, recovered } = await openCrashing(
      { at: 1, when: 'before' },
      { samples: () => letters(1) },
    );
    const ids = await idsIn(key);
    const id = await runs('archive_email', { ids });
    const account = accountOf(scene);
    const [raw = Buffer.alloc(0)] = await scene.mail.messages(account, 'INBOX');
    const call = { account, signal: new AbortController().signal, deadlineMs: 1000 };
    const query = { path: 'INBOX', unread: false, order: 'uid', after: undefined, limit: 1 } as const;
    const [row] = (await scene.mail.list(call, query)).rows;
    await scene.mail.deliver(account, 'Archive', raw, row?.internalDate);
    const approval = await recovered(id);
    expect(approval.state).toBe('outcome_unknown');
    expect(approval).not.toHaveProperty('result');
    expect(await subjectsIn(key, 'inbox')).toEqual(['Subject 0']);
    expect(await subjectsIn(key, 'archive')).toEqual(['Subject 0']);
  });

  it('is unknown if the message is now in neither place', async () => {
    const { scene, key, runs, recovered } = await openCrashing(
      { at: 1, when: 'before' },
      { samples: () => letters(1) },
    );
    const id = await runs('archive_email', { ids: await idsIn(key) });
    await moveElsewhere(scene, 'Spam');
    expect((await recovered(id)).state).toBe('outcome_unknown');
    expect(await subjectsIn(key, 'Spam')).toEqual(['Subject 0']);
  });
});

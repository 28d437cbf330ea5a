import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ActionGist } from '../../core/actions/gist.ts';
import type { Filing } from '../../core/approvals/filing-storage.ts';
import { openGist, sealGist } from '../../core/execution/sealed-gist.ts';
import type { LogFields } from '../../core/ports/log.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createKeyring } from '../../core/secrets/keyring.ts';
import { silentLog } from '../open-service.ts';
import { approvalOf, FRIEND, openScene, resultOf, type Scene, STRANGER, sendTo } from './scene.ts';

const secret = randomBytes(32);
const keyring = createKeyring([secret], randomBytes);
const GIST: ActionGist = { kind: 'message', to: [FRIEND], subject: 'Subject' };

async function listed({ service, ownerId }: Scene) {
  return (await service.approvals.list(ownerId, { state: 'all', limit: 5 })).approvals;
}

/** What the store gives back instead of what was filed. */
const SPOILT: [name: string, spoil: (filing: Filing) => string][] = [
  ['is empty', () => ''],
  ['was changed', ({ sealedGist }) => `${sealedGist.slice(0, 40)}AAAA${sealedGist.slice(44)}`],
  [
    'was sealed for another request',
    ({ ownerId }) => sealGist(keyring, ownerId, 'apr_other', { ...GIST, to: ['eve@example.org'] }, []),
  ],
  ['was sealed for another owner', ({ approvalId }) => sealGist(keyring, 'own_other', approvalId, GIST, [])],
  ['is the plan', ({ sealedPlan }) => sealedPlan],
  [
    'was sealed with a key that is missing',
    ({ ownerId, approvalId }) =>
      sealGist(createKeyring([randomBytes(32)], randomBytes), ownerId, approvalId, GIST, []),
  ],
  [
    'is of a shape that is not known',
    ({ ownerId, approvalId }) => keyring.seal('gist', `${ownerId}\n${approvalId}`, '{"kind":"poem"}'),
  ],
];

describe.each(SPOILT)('a stored gist that %s', (_name, spoil) => {
  it('is listed as unreadable, beside the others, and the log names its request', async () => {
    const errors: [string, LogFields | undefined][] = [];
    let isSpoilt = true;
    const scene = await openScene({
      secretKeys: [secret],
      log: { ...silentLog, error: (...line: [string, LogFields?]) => void errors.push([line[0], line[1]]) },
      storageAs: (storage) => ({
        ...storage,
        file: (filing) => storage.file(isSpoilt ? { ...filing, sealedGist: spoil(filing) } : filing),
      }),
    });
    const key = await scene.addKey('full');
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    isSpoilt = false;
    await key.call('send_email', sendTo(FRIEND, 'Another text'));
    expect(await listed(scene)).toMatchObject([
      { title: 'Send a new message', gist: GIST },
      { title: 'Send a new message', keyName: 'agent', approval: { id }, gist: { kind: 'unreadable' } },
    ]);
    const unread = ['the gist of a request could not be read', { approval: id }];
    expect(errors).toMatchObject([unread]);
    // Nor does it keep the key from listing its requests.
    const { approvals } = resultOf(await key.call('list_approvals'));
    expect(approvals).toEqual([
      expect.objectContaining({ summary: `${FRIEND}: Subject` }),
      expect.not.objectContaining({ summary: expect.anything() as unknown }),
    ]);
    expect(errors).toMatchObject([unread, unread]);
    expect(JSON.stringify(errors)).not.toMatch(/Subject|@/);
  });
});

describe('a stored gist', () => {
  it('is sealed, for its owner and its request', async () => {
    const filings: Filing[] = [];
    const scene = await openScene({
      secretKeys: [secret],
      storageAs: (storage) => ({
        ...storage,
        file(filing) {
          filings.push(filing);
          return storage.file(filing);
        },
      }),
    });
    const key = await scene.addKey('full');
    const { id } = approvalOf(await key.call('send_email', { ...sendTo(FRIEND), subject: 'A secret word' }));
    const [approval, [filing]] = [await scene.storage.approval(scene.ownerId, id), filings];
    if (approval === undefined || filing === undefined) throw new Error('nothing was filed');
    expect(openGist(keyring, approval, filing.sealedGist)).toEqual({
      gist: { ...GIST, subject: 'A secret word' },
      findings: [],
    });
    expect(Buffer.from(filing.sealedGist, 'base64url').toString('latin1')).not.toContain('secret word');
    expect(() => keyring.open('plan', `${scene.ownerId}\n${id}`, filing.sealedGist)).toThrow();
  });

  it('is read after the keys have been rotated', async () => {
    const ring = createKeyring([randomBytes(32), secret], randomBytes);
    const sealed = sealGist(keyring, 'own_1', 'apr_1', GIST, []);
    expect(openGist(ring, { ownerId: 'own_1', id: 'apr_1' }, sealed).gist).toEqual(GIST);
  });

  it('has the name of each finding once, with its highest severity, and none of its evidence', () => {
    const findings = [
      { rule: 'secret', severity: 'info', marks: [] },
      { rule: 'secret', severity: 'red', marks: [{ in: 'text', from: 3, to: 9 }] },
      { rule: 'first_time_recipient', severity: 'amber', marks: [], addresses: ['eve@example.org'] },
    ] as const;
    const sealed = sealGist(keyring, 'own_1', 'apr_1', GIST, findings);
    expect(openGist(keyring, { ownerId: 'own_1', id: 'apr_1' }, sealed).findings).toEqual([
      { rule: 'secret', severity: 'red' },
      { rule: 'first_time_recipient', severity: 'amber' },
    ]);
    expect(keyring.open('gist', 'own_1\napr_1', sealed)).not.toContain('eve@');
  });

  it('opens without names of findings if an older version sealed it', () => {
    const sealed = keyring.seal('gist', 'own_1\napr_1', JSON.stringify(GIST));
    const opened = openGist(keyring, { ownerId: 'own_1', id: 'apr_1' }, sealed);
    expect(opened).toEqual({ gist: GIST, findings: undefined });
  });

  it('is erased together with the plan, 30 days after the end of its request', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full');
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    await scene.service.approvals.reject(scene.ownerId, id);
    scene.clock.shift(30 * 86_400_000 - 60_000);
    await scene.service.recover();
    expect(await listed(scene)).toMatchObject([{ gist: GIST }]);
    scene.clock.shift(60_001);
    await scene.service.recover();
    expect(await listed(scene)).toMatchObject([
      { gist: { kind: 'erased' }, approval: { state: 'rejected' } },
    ]);
  });
});

describe('the list of requests', () => {
  it('says of a request from before gists were kept only that there is more to see', async () => {
    const scene = await openScene({
      storageAs: (storage) => ({
        ...storage,
        gists: async (ownerId, ids) =>
          new Map([...(await storage.gists(ownerId, ids)).keys()].map((id) => [id, null])),
      }),
    });
    const key = await scene.addKey('full');
    await key.call('send_email', sendTo(FRIEND));
    expect(await listed(scene)).toMatchObject([{ title: 'Send a new message', gist: { kind: 'not_kept' } }]);
  });

  it('names the findings about a request, but not that its key always asks', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full');
    await key.call('send_email', sendTo(FRIEND));
    await key.call('send_email', sendTo(STRANGER));
    const [toStranger, toFriend] = await listed(scene);
    expect(toStranger?.findings).toEqual([{ rule: 'first_time_recipient', severity: 'amber' }]);
    expect(toFriend?.findings).toEqual([]);
  });

  it('names high risk as such, and a finding that only storage can know', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full', { 'mail:send': 'direct' });
    await key.call('send_email', sendTo(FRIEND));
    approvalOf(await key.call('send_email', sendTo(FRIEND)));
    approvalOf(await key.call('send_email', sendTo(FRIEND, 'See https://bank.example@evil.example/')));
    const [risky, repeated] = await listed(scene);
    expect(risky?.findings).toEqual([{ rule: 'hidden_host', severity: 'red' }]);
    expect(repeated?.findings).toEqual([{ rule: 'likely_repeat', severity: 'amber' }]);
  });

  it('names the reasons of a request whose gist an older version sealed', async () => {
    const scene = await openScene({
      secretKeys: [secret],
      storageAs: (storage) => ({
        ...storage,
        file: (filing) =>
          storage.file({
            ...filing,
            sealedGist: keyring.seal('gist', `${filing.ownerId}\n${filing.approvalId}`, JSON.stringify(GIST)),
          }),
      }),
    });
    const key = await scene.addKey('full');
    await key.call('send_email', sendTo(STRANGER));
    expect(await listed(scene)).toMatchObject([
      { gist: GIST, findings: [{ rule: 'first_time_recipient', severity: 'amber' }] },
    ]);
  });

  it('looks up the gists of its page once, and no plan', async () => {
    const lookUps: string[] = [];
    const counting = (storage: Storage): Storage => ({
      ...storage,
      plan: (...asked) => {
        lookUps.push('plan');
        return storage.plan(...asked);
      },
      gists: (ownerId, ids) => {
        lookUps.push(`gists of ${ids.length}`);
        return storage.gists(ownerId, ids);
      },
    });
    const scene = await openScene({ storageAs: counting });
    const key = await scene.addKey('full');
    for (const body of ['One', 'Two', 'Three']) await key.call('send_email', sendTo(FRIEND, body));
    expect(await listed(scene)).toHaveLength(3);
    expect(lookUps).toEqual(['gists of 3']);
    expect(resultOf(await key.call('list_approvals'))).toMatchObject({ returned: 3 });
    expect(lookUps).toEqual(['gists of 3', 'gists of 3']);
  });
});

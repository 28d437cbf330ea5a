import { describe, expect, it } from 'vitest';
import type { SandboxMail } from '../../adapters/sandbox/mail.ts';
import { ServiceError } from '../../core/contract/errors.ts';
import type { MailCall } from '../../core/ports/mail.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { until } from '../until.ts';
import {
  answerOf,
  approvalOf,
  approve,
  detailsOf,
  FRIEND,
  firstId,
  OWN,
  openScene,
  type Scene,
  sendTo,
  stateOf,
  wordOf,
} from './scene.ts';

// The result of a call when the store fails. The fakes only force the fault; everything else is real.

type Verb = Exclude<keyof Storage, 'close' | 'healthy'>;

/** Storage whose next calls of some verbs fail, before or after their work. */
function faultyStorage() {
  const faults = new Map<Verb, { left: number; when: 'before' | 'after' }>();
  const done: Verb[] = [];
  const unreachable = () => new ServiceError('temporarily_unavailable', { details: { retry_after_s: 5 } });
  function failing<V extends Verb>(storage: Storage, verb: V): Storage[V] {
    const real = storage[verb] as (...args: unknown[]) => Promise<unknown>;
    const faulty = async (...args: unknown[]) => {
      const fault = faults.get(verb);
      if (fault === undefined || fault.left === 0) {
        const answer = await real(...args);
        done.push(verb);
        return answer;
      }
      fault.left -= 1;
      if (fault.when === 'after') await real(...args);
      throw unreachable();
    };
    return faulty as Storage[V];
  }
  const verbs = [
    'admit',
    'claim',
    'finish',
    'file',
    'start',
    'settle',
    'followedUp',
    'approval',
    'approvals',
    'renew',
    'reads',
    'readSources',
    'knownDomains',
  ] as const;
  return {
    /** The calls that ended well, in their order. */
    done: done as readonly Verb[],
    fail(verb: (typeof verbs)[number], times = 1, when: 'before' | 'after' = 'before') {
      faults.set(verb, { left: times, when });
    },
    storageAs: (storage: Storage): Storage =>
      Object.assign({ ...storage }, Object.fromEntries(verbs.map((verb) => [verb, failing(storage, verb)]))),
  };
}

async function open(options: { leaseMs?: number; mailAs?: (mail: SandboxMail) => SandboxMail } = {}) {
  const faults = faultyStorage();
  const scene = await openScene({ ...options, storageAs: faults.storageAs });
  const key = await scene.addKey('full', { 'mail:send': 'direct' });
  return { scene, key, fail: faults.fail, done: faults.done };
}

const unavailable = { code: 'temporarily_unavailable', retry_after_s: 5 };

/** The messages in Sent that were added since the start. */
async function copiesInSent(scene: Scene): Promise<readonly Uint8Array[]> {
  const account = { ownerId: scene.ownerId, accountId: 1, email: OWN, settings: async () => ({}) };
  return (await scene.mail.messages(account, 'Sent')).slice(1);
}

describe('when a call cannot be recorded at its end', () => {
  it('a write still returns its result', async () => {
    const { scene, key, fail } = await open();
    const id = await firstId(key);
    for (const [tool, args, answer] of [
      ['send_email', sendTo(FRIEND), { status: 'ok', executed: true }],
      ['mark_read', { id }, { status: 'ok', executed: true }],
      ['send_reply', { id, body: 'Answer' }, { status: 'pending_approval' }],
    ] as const) {
      // A new key each time: the slot of the call stays taken until its lease ends.
      const own = await scene.addKey('full', { 'mail:send': 'direct' });
      fail('finish');
      expect(await own.call(tool, args)).toMatchObject(answer);
    }
    expect(scene.mail.transmitted()).toHaveLength(1);
  });

  it('an error stays the same error', async () => {
    const { key, fail } = await open();
    fail('finish');
    expect(detailsOf(await key.call('send_email', { ...sendTo(FRIEND), account_id: 9 }))).toMatchObject({
      code: 'not_found',
    });
  });

  it.each([
    ['summarize_inbox', {}],
    ['get_me', {}],
    ['list_approvals', {}],
  ])('%s does not return its result', async (tool, args) => {
    const { key, fail } = await open();
    fail('finish');
    expect(detailsOf(await key.call(tool, args))).toEqual(unavailable);
  });

  it('get_approval does not return its result either: it changed nothing', async () => {
    const { scene, fail } = await open();
    const asking = await scene.addKey('full');
    const { id } = approvalOf(await asking.call('send_email', sendTo(FRIEND)));
    fail('finish');
    expect(detailsOf(await asking.call('get_approval', { approval_id: id }))).toEqual(unavailable);
  });

  it.each(['reads', 'readSources', 'knownDomains'] as const)(
    'no request is filed if what was read before it cannot be looked up: %s',
    async (verb) => {
      const { scene, key, fail } = await open();
      const id = await firstId(key);
      await key.call('get_email', { id });
      const letter = { ...sendTo('audit@helpdesk.example'), body: 'As you asked.' };
      fail(verb);
      expect(detailsOf(await key.call('send_email', letter))).toEqual(unavailable);
      expect(await scene.service.approvals.list(scene.ownerId, { state: 'all', limit: 9 })).toMatchObject({
        approvals: [],
      });
      expect(approvalOf(await key.call('send_email', letter)).state).toBe('pending');
    },
  );

  it('the same call with the same Idempotency-Key gets the result of the first, and sends nothing', async () => {
    const { scene, key, fail } = await open({ leaseMs: 60 });
    fail('finish');
    const first = await answerOf(scene, key, 'send_email', sendTo(FRIEND), 'k');
    await expect
      .poll(async () => wordOf((await answerOf(scene, key, 'send_email', sendTo(FRIEND), 'k')).outcome))
      .toBe('ok');
    expect(await answerOf(scene, key, 'send_email', sendTo(FRIEND), 'k')).toEqual({
      outcome: first.outcome,
      replayed: true,
    });
    expect(scene.mail.transmitted()).toHaveLength(1);
  });
});

describe('when the store fails before anything was done', () => {
  it.each(['admit', 'claim', 'file'] as const)(
    'in %s, the caller is asked to try again later, and nothing is sent',
    async (verb) => {
      const { scene, key, fail } = await open();
      fail(verb);
      const admission = await scene.service.calls.admitCaller({ token: key.apiKey, address: '192.0.2.1' });
      if (verb === 'admit') {
        expect(admission.kind === 'refused' && detailsOf(admission.failure)).toEqual(unavailable);
      } else {
        if (admission.kind !== 'admitted') throw new Error(admission.kind);
        const call = { tool: 'send_email', args: sendTo(FRIEND), idempotencyKey: 'k', sizeBytes: () => 0 };
        const { outcome } = await scene.service.calls.runTool(admission.caller, call);
        expect(detailsOf(outcome)).toEqual(unavailable);
      }
      expect(scene.mail.transmitted()).toEqual([]);
      const again = await answerOf(scene, key, 'send_email', sendTo(FRIEND), 'k');
      expect([again.outcome.status, again.replayed]).toEqual(['ok', false]);
    },
  );

  it.each(['before', 'after'] as const)('in start, %s it was recorded, nothing is sent', async (when) => {
    const { scene, key, fail } = await open();
    fail('start', 1, when);
    expect((await key.call('send_email', sendTo(FRIEND))).status).toBe('error');
    expect(scene.mail.transmitted()).toEqual([]);
    const { approvals } = await scene.service.approvals.list(scene.ownerId, { state: 'all', limit: 5 });
    expect(approvals.map(({ approval }) => approval.state)).toEqual(['failed']);
  });
});

describe('when a settlement is not stored', () => {
  it.each(['before', 'after'] as const)(
    '(%s the store applied it) it is repeated until it is stored',
    async (when) => {
      const { scene, key, fail } = await open({ leaseMs: 60 });
      fail('settle', 2, when);
      expect(await key.call('send_email', sendTo(FRIEND))).toMatchObject({
        status: 'ok',
        executed: true,
        result: { approval: { state: 'executed', result: { sent: true, recipients: 1 } } },
      });
      expect(scene.mail.transmitted()).toHaveLength(1);
      expect(await scene.service.owners.events(scene.ownerId, 0, 10)).toHaveLength(1);
    },
  );
});

describe('the work after a send', () => {
  it('is repeated until it is done, and Sent contains one copy, byte for byte', async () => {
    const failures = { saveSent: 1, setFlag: 1 };
    const { scene, fail } = await open({
      leaseMs: 60,
      mailAs: (mail) => ({
        ...mail,
        async saveSent(call: MailCall, path, message) {
          if (failures.saveSent-- > 0) throw new Error('a fault of the adapter');
          return mail.saveSent(call, path, message);
        },
        async setFlag(call: MailCall, place, flag, on, start) {
          if (failures.setFlag-- > 0) throw new Error('a fault of the adapter');
          return mail.setFlag(call, place, flag, on, start);
        },
      }),
    });
    const key = await scene.addKey('full');
    fail('followedUp');
    const { id } = approvalOf(await key.call('send_reply', { id: await firstId(key), body: 'Answer' }));
    expect((await approve(scene, id)).approval.state).toBe('executed');
    scene.clock.shift(60 * 60_000);
    const account = { ownerId: scene.ownerId, accountId: 1, email: OWN, settings: async () => ({}) };
    const call = { account, signal: new AbortController().signal, deadlineMs: 1000 };
    const query = { path: 'INBOX', unread: false, order: 'uid', after: undefined, limit: 5 } as const;
    await expect
      .poll(async () => {
        await scene.service.recover();
        const { rows } = await scene.mail.list(call, query);
        return [failures.saveSent < 0, failures.setFlag < 0, rows.map(({ flags }) => flags.has('answered'))];
      })
      .toEqual([true, true, [true]]);
    await scene.service.recover();
    // With the Date that was sent, even if it is saved much later.
    const sent = scene.mail.transmitted().map(({ raw }) => raw);
    expect(sent).toHaveLength(1);
    expect(await copiesInSent(scene)).toEqual(sent);
    expect(await stateOf(scene, id)).toBe('executed');
  });

  it('is not repeated once it is recorded as done', async () => {
    let flags = 0;
    const { scene, done } = await open({
      mailAs: (mail) => ({
        ...mail,
        setFlag(...args) {
          flags += 1;
          return mail.setFlag(...args);
        },
      }),
    });
    const key = await scene.addKey('full');
    const { id } = approvalOf(await key.call('send_reply', { id: await firstId(key), body: 'Answer' }));
    await approve(scene, id);
    await until(() => done.includes('followedUp'));
    scene.clock.shift(60 * 60_000);
    await scene.service.recover();
    await scene.service.stop();
    expect(flags).toBe(1);
  });
});

describe('an app that waits for the end of a request', () => {
  async function filed() {
    const { scene, fail } = await open();
    const key = await scene.addKey('full');
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    return { scene, fail, id };
  }

  it('learns it although the store could not be reached for a moment', async () => {
    const { scene, fail, id } = await filed();
    fail('approval');
    const ended = scene.service.approvals.settled(scene.ownerId, id);
    await scene.service.approvals.reject(scene.ownerId, id);
    expect(await ended).toMatchObject({ id, state: 'rejected' });
  });

  it('gives up a store that cannot be reached when its signal says so', async () => {
    const { scene, fail, id } = await filed();
    fail('approval', Number.POSITIVE_INFINITY);
    const patience = new AbortController();
    const { signal } = patience;
    const ended = scene.service.approvals.settled(scene.ownerId, id, { signal });
    patience.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
  });

  it('learns that there is no such request', async () => {
    const { scene } = await filed();
    await expect(scene.service.approvals.settled(scene.ownerId, 'apr_none')).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

import { describe, expect, it } from 'vitest';
import { PLAN_LIMITS } from '../../core/keys/limits.ts';
import type { Plan } from '../../core/keys/permissions.ts';
import type { TestKey } from '../open-service.ts';
import { anyNumber } from './matchers.ts';
import {
  approvalOf,
  detailsOf,
  FRIEND,
  firstId,
  openScene,
  type Scene,
  type SceneOptions,
  sendTo,
  wordOf,
} from './scene.ts';

// Every number of the table of limits, at N and at N + 1, for both plans.

const TABLE: [plan: Plan, minute: number, day: number, filed: number, ofKey: number, ofOwner: number][] = [
  ['free', 20, 200, 10, 3, 3],
  ['paid', 60, 5000, 100, 10, 25],
];

const MINUTE_MS = 60_000;

/** A scene with the limits of its plan. */
function open(plan: Plan, calls: 'as the plan has it' | 'unbounded' = 'unbounded'): Promise<Scene> {
  const limits = calls === 'unbounded' ? { callsPerMinute: 1e6, callsPerDay: 1e6 } : {};
  return atNoon({ plan, limits });
}

/** At noon UTC, so that no test crosses midnight. */
async function atNoon(options: SceneOptions): Promise<Scene> {
  const scene = await openScene(options);
  const now = scene.clock.now();
  scene.clock.shift(
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, 12) - now.getTime(),
  );
  return scene;
}

async function admit({ service }: Scene, { apiKey }: TestKey) {
  return service.calls.admitCaller({ token: apiKey, address: '192.0.2.1' });
}

/** Admits a call that does nothing. @returns the calls left in the minute, or the refusal */
async function knock(scene: Scene, key: TestKey) {
  const admission = await admit(scene, key);
  if (admission.kind !== 'admitted')
    return { ...detailsOf(admission.failure), remaining: admission.rate.remaining };
  await scene.service.calls.endCall(admission.caller, 'ok');
  return admission.rate.remaining;
}

describe.each(TABLE)('on the %s plan', (plan, minute, day, filed, ofKey, ofOwner) => {
  it(`a key makes ${minute} calls a minute`, async () => {
    const scene = await open(plan, 'as the plan has it');
    const key = await scene.addKey('full');
    for (let n = 1; n <= minute; n++) expect(await knock(scene, key)).toBe(minute - n);
    const refused = { code: 'rate_limited', retry_after_s: anyNumber, remaining: 0 };
    expect(await knock(scene, key)).toEqual(refused);
    expect(await knock(scene, await scene.addKey('full'))).toBe(minute - 1);
    scene.clock.shift(MINUTE_MS);
    expect(await knock(scene, key)).toBe(minute - 1);
  });

  it(`all keys of a user make ${day} calls a day, until midnight UTC`, async () => {
    const scene = await open(plan, 'as the plan has it');
    const first = await scene.addKey('full');
    const second = await scene.addKey('full');
    for (let made = 0; made < day; made++) {
      if (made % minute === 0) scene.clock.shift(MINUTE_MS);
      expect(await knock(scene, made % 2 === 0 ? first : second)).toBeTypeOf('number');
    }
    scene.clock.shift(MINUTE_MS);
    const now = scene.clock.now();
    const midnight = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
    for (const key of [first, second]) {
      expect(await knock(scene, key)).toEqual({
        code: 'daily_limit_reached',
        retry_after_s: anyNumber,
        resets_at: midnight.toISOString(),
        remaining: minute,
      });
    }
    scene.clock.shift(midnight.getTime() - scene.clock.now().getTime() - MINUTE_MS);
    expect(await knock(scene, first)).toMatchObject({ code: 'daily_limit_reached' });
    scene.clock.shift(MINUTE_MS);
    expect(await knock(scene, first)).toBe(minute - 1);
  });

  it('a key has 2 calls in flight, whose end makes room', async () => {
    const scene = await open(plan);
    const key = await scene.addKey('full');
    const first = await admit(scene, key);
    await admit(scene, key);
    const third = await admit(scene, key);
    expect(third.kind === 'over' && [third.failure.code, third.failure.details]).toEqual([
      'busy',
      { retry_after_s: 1 },
    ]);
    expect((await admit(scene, await scene.addKey('full'))).kind).toBe('admitted');
    if (first.kind === 'admitted') await scene.service.calls.endCall(first.caller, 'ok');
    expect((await admit(scene, key)).kind).toBe('admitted');
    expect((await admit(scene, key)).kind).toBe('over');
  });

  it(`a key files ${filed} requests a day`, async () => {
    const scene = await open(plan);
    const key = await scene.addKey('full');
    const file = (n: number) => key.call('send_email', sendTo(FRIEND, `body ${n}`));
    for (let n = 0; n < filed; n++) {
      const { id } = approvalOf(await file(n));
      await key.call('cancel_approval', { approval_id: id });
    }
    const now = scene.clock.now();
    const midnight = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
    expect(detailsOf(await file(filed))).toEqual({
      code: 'quota_exceeded',
      resets_at: midnight.toISOString(),
    });
    expect(wordOf(await (await scene.addKey('full')).call('send_email', sendTo(FRIEND)))).toBe(
      'pending_approval',
    );
    scene.clock.shift(midnight.getTime() - now.getTime());
    expect(wordOf(await file(filed))).toBe('pending_approval');
  });

  it(`${ofKey} requests of a key and ${ofOwner} of a user wait, and a decision makes room`, async () => {
    const scene = await open(plan);
    let waiting = 0;
    let newest = '';
    while (waiting < ofOwner) {
      const key = await scene.addKey('full');
      const room = Math.min(ofKey, ofOwner - waiting);
      for (let n = 0; n < room; n++) {
        newest = approvalOf(await key.call('send_email', sendTo(FRIEND, `body ${waiting++}`))).id;
      }
      expect(detailsOf(await key.call('send_email', sendTo(FRIEND, 'more')))).toEqual({
        code: 'too_many_pending',
        retry_after_s: anyNumber,
      });
    }
    const last = await scene.addKey('full');
    expect(wordOf(await last.call('send_email', sendTo(FRIEND, 'more')))).toBe('too_many_pending');
    await scene.service.approvals.reject(scene.ownerId, newest);
    expect(wordOf(await last.call('send_email', sendTo(FRIEND, 'more')))).toBe('pending_approval');
  });

  it('a call that runs immediately counts neither as filed nor as waiting', async () => {
    const scene = await open(plan);
    const key = await scene.addKey('organise');
    const id = await firstId(key);
    for (let n = 0; n <= filed; n++) expect(wordOf(await key.call('mark_read', { id }))).toBe('ok');
  });
});

describe('a call over a limit', () => {
  it('counts nowhere', async () => {
    const scene = await atNoon({ limits: { callsPerMinute: 2, callsPerDay: 3 } });
    const key = await scene.addKey('full');
    for (let n = 0; n < 5; n++) await knock(scene, key);
    scene.clock.shift(MINUTE_MS);
    expect(await knock(scene, key)).toBe(1);
    expect(await knock(scene, key)).toMatchObject({ code: 'daily_limit_reached' });
    const { entries } = await scene.service.owners.activity(scene.ownerId, { limit: 100 });
    expect(entries).toHaveLength(3);
  });
});

describe('a window of the minute', () => {
  it('starts with its first call and ends 60 s later', async () => {
    const scene = await openScene({ limits: { callsPerMinute: 2 } });
    const key = await scene.addKey('full');
    const admission = await admit(scene, key);
    expect(admission.rate).toEqual({ limit: 2, remaining: 1, resetS: 60 });
    scene.clock.shift(30_000);
    const second = await admit(scene, key);
    expect(second.rate.resetS).toBeLessThanOrEqual(30);
    expect(second.rate.remaining).toBe(0);
    scene.clock.shift(31_000);
    if (second.kind === 'admitted') await scene.service.calls.endCall(second.caller, 'ok');
    expect((await admit(scene, key)).rate).toEqual({ limit: 2, remaining: 1, resetS: 60 });
  });
});

describe('without a key', () => {
  it('an address has 60 tries per minute, whatever it tries', async () => {
    const scene = await openScene();
    const tokens = [undefined, 'x', `svc_pat_${'0'.repeat(49)}`];
    for (let n = 0; n < 60; n++) {
      const admission = await scene.service.calls.admitCaller({
        token: tokens[n % 3],
        address: '198.51.100.7',
      });
      expect(admission).toMatchObject({
        kind: 'refused',
        failure: { code: 'invalid_token' },
        rate: { remaining: 59 - n },
      });
    }
    const over = await scene.service.calls.admitCaller({ token: undefined, address: '198.51.100.7' });
    expect(over).toMatchObject({ kind: 'refused', failure: { code: 'rate_limited' } });
    const elsewhere = await scene.service.calls.admitCaller({ token: undefined, address: '198.51.100.8' });
    expect(elsewhere).toMatchObject({ failure: { code: 'invalid_token' } });
    const key = await scene.addKey('full');
    const admission = await scene.service.calls.admitCaller({ token: key.apiKey, address: '198.51.100.7' });
    expect(admission.kind).toBe('admitted');
  });
});

it('an operator may set single limits, and no others', async () => {
  await expect(openScene({ limits: { callsPerFortnight: 1 } as object })).rejects.toThrow(
    'callsPerFortnight',
  );
  const scene = await openScene({ plan: 'free', limits: { waitingPerKey: 1 } });
  const key = await scene.addKey('full');
  await key.call('send_email', sendTo(FRIEND, 'one'));
  expect(wordOf(await key.call('send_email', sendTo(FRIEND, 'two')))).toBe('too_many_pending');
  expect(PLAN_LIMITS.free.waitingPerKey).toBe(3);
});

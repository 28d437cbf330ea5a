import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestKey } from '../open-service.ts';
import { anyText } from './matchers.ts';
import { answerOf, detailsOf, FRIEND, openScene, type Scene, sendTo } from './scene.ts';

// The order of refusals, as far as core decides it: if a call breaks two rules, it gets the earlier one.

let scene: Scene;
/** May do everything, immediately. */
let full: TestKey;
/** Its sends were switched off after one with an Idempotency-Key. */
let off: TestKey;

beforeAll(async () => {
  scene = await openScene();
  full = await scene.addKey('full', { 'mail:send': 'direct' });
  off = await scene.addKey('full');
  for (const key of [full, off]) {
    expect((await answerOf(scene, key, 'send_email', sendTo(FRIEND, key.keyId), 'used')).replayed).toBe(
      false,
    );
  }
  await scene.service.keys.setModes(scene.ownerId, off.keyId, { 'mail:send': 'off' });
});
afterAll(() => scene.service.stop());

interface Sketch {
  key: TestKey;
  tool: string;
  args: Record<string, unknown>;
  idempotencyKey: string | undefined;
}

/** In their order. Each breaks one rule of an otherwise valid call. */
const BREACHES: { breach(sketch: Sketch): void; told: Record<string, unknown> }[] = [
  {
    breach: (sketch) => {
      sketch.idempotencyKey = 'not visible';
    },
    told: { code: 'invalid_idempotency_key' },
  },
  {
    breach: (sketch) => {
      sketch.tool = 'send_fax';
    },
    told: { code: 'not_found', reason: 'tool' },
  },
  {
    breach: (sketch) => {
      sketch.key = off;
    },
    told: { code: 'not_permitted', group: 'mail:send' },
  },
  {
    breach: (sketch) => {
      sketch.args.bcc = [FRIEND];
    },
    told: {
      code: 'invalid_arguments',
      errors: [{ field: 'bcc', rule: 'additionalProperties', message: anyText }],
    },
  },
  {
    breach: (sketch) => {
      sketch.idempotencyKey = 'used';
    },
    told: { code: 'idempotency_key_reused' },
  },
  {
    breach: (sketch) => {
      sketch.args.account_id = 99;
    },
    told: { code: 'not_found', reason: 'account' },
  },
];

const PAIRS = BREACHES.flatMap((first, at) =>
  BREACHES.slice(at).map((second) => [first.told.code, second.told.code, first, second] as const),
);

describe('the order of refusals', () => {
  it.each(PAIRS)('%s before %s', async (_first, _second, first, second) => {
    const sketch: Sketch = { key: full, tool: 'send_email', args: sendTo(FRIEND), idempotencyKey: undefined };
    second.breach(sketch);
    first.breach(sketch);
    const { tool, args, key, idempotencyKey } = sketch;
    const { outcome, replayed } = await answerOf(scene, key, tool, args, idempotencyKey);
    expect(detailsOf(outcome)).toEqual(first.told);
    expect(replayed).toBe(false);
  });

  it('the choice of messages is checked with the arguments, their number later', async () => {
    const key = await scene.addKey('full');
    expect((await answerOf(scene, key, 'send_email', sendTo(FRIEND), 'k')).outcome.status).toBe(
      'pending_approval',
    );
    const ids = Array.from({ length: 51 }, (_, n) => `m1_${n}`);
    const codes: unknown[] = [];
    for (const args of [{}, { id: 'm1_a', ids: ['m1_a'] }, { ids }]) {
      codes.push(detailsOf((await answerOf(scene, key, 'mark_read', args, 'k')).outcome).code);
    }
    expect(codes).toEqual(['invalid_arguments', 'invalid_arguments', 'idempotency_key_reused']);
    const { outcome } = await answerOf(scene, key, 'mark_read', { ids });
    expect(detailsOf(outcome)).toEqual({ code: 'too_many_targets', max_targets: 50 });
  });

  it('the form of an Idempotency-Key is checked for reads too, and nothing is stored for them', async () => {
    for (const good of ['!', '~'.repeat(255)]) {
      expect((await answerOf(scene, full, 'get_me', {}, good)).outcome.status).toBe('ok');
      const again = await answerOf(scene, full, 'list_accounts', {}, good);
      expect([again.outcome.status, again.replayed]).toEqual(['ok', false]);
    }
    for (const bad of ['', ' ', 'a b', 'ä', 'a\n', '\x7f', 'a'.repeat(256)]) {
      const { outcome } = await answerOf(scene, full, 'get_me', {}, bad);
      expect(detailsOf(outcome)).toEqual({ code: 'invalid_idempotency_key' });
    }
  });
});

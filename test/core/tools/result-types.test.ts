import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { flag } from '../../../core/actions/flag.ts';
import { trackerGist } from '../../../core/actions/gist.ts';
import { send } from '../../../core/actions/send.ts';
import { defineLightWrite, defineRead, defineWrite } from '../../../core/tools/define-tool.ts';
import { expectDescribed } from '../../described-outcome.ts';

// A tool's result is what its `output` says: the compiler refuses another one, and the doors of the tests find one that
// came past it. Each line with an expected error is an assertion of `npm run typecheck`.

const facts = { title: '', description: '', errors: [], untrusted: [], input: z.strictObject({}) } as const;
const read = { ...facts, name: 'a_read', group: null, kind: 'read', wrapped: [] } as const;
const write = { ...facts, name: 'a_write', group: 'mail:send', action: null } as const;
const output = z.looseObject({ count: z.int() });

const message = { envelope: { from: 'a@example.org', to: ['b@example.org'] }, raw: '', messageId: '' };
const sending = send({ kind: 'send', account: { accountId: 1, email: '' }, message, about: null });
const flagging = flag({ kind: 'flag', state: 'read', targets: [] });
const planned = { findings: [], gist: trackerGist(''), request: {}, targets: [] } as const;
const sent = z.looseObject({ sent: z.boolean(), recipients: z.int() });
const marked = z.looseObject({ done: z.boolean(), action: z.string() });
const items = z.union([
  z.looseObject({ items: z.array(z.looseObject({})) }),
  z.looseObject({ folder: z.string() }),
]);

function notTyped(): void {
  defineRead({ ...read, output, run: async () => ({ kind: 'result', result: { count: 1, more: true } }) });
  // @ts-expect-error the result has another type
  defineRead({ ...read, output, run: async () => ({ kind: 'result', result: { count: 'one' } }) });
  // @ts-expect-error the result lacks a field
  defineRead({ ...read, output, run: async () => ({ kind: 'empty', result: { reason: 'none' } }) });
  // @ts-expect-error a part of the result lacks a field
  defineRead({ ...read, output, run: async () => ({ kind: 'cut', most: 1, at: () => ({}) }) });

  defineWrite({ ...write, output: sent, plan: async () => ({ ...planned, action: sending }) });
  // @ts-expect-error the action comes to something else
  defineWrite({ ...write, output, plan: async () => ({ ...planned, action: sending }) });

  const light = { ...write, output: marked, directOutput: items };
  defineLightWrite({ ...light, plan: async () => ({ ...planned, action: flagging }) });
  // @ts-expect-error the action may not run without an approval
  defineLightWrite({ ...light, output: sent, plan: async () => ({ ...planned, action: sending }) });
  // @ts-expect-error what it answers when it runs at once is something else
  defineLightWrite({ ...light, directOutput: output, plan: async () => ({ ...planned, action: flagging }) });
}

describe('an outcome that its tool does not describe', () => {
  it('is found by the doors of the tests', () => {
    expect(notTyped).toBeTypeOf('function');
    const approval = { id: 'apr_1', state: 'executed', tool: 'send_email', created_at: '' };
    const ended = (result: object) => ({
      status: 'ok' as const,
      result: { approval: { ...approval, result }, meaning: '' },
    });
    expect(() => expectDescribed('send_email', ended({ sent: true, recipients: 1 }))).not.toThrow();
    expect(() => expectDescribed('send_email', ended({ sent: true }))).toThrow('recipients');
    expect(() => expectDescribed('get_approval', ended({ sent: true }))).toThrow('recipients');
    expect(() => expectDescribed('send_email', { status: 'ok', result: {} })).toThrow('without an approval');
    expect(() => expectDescribed('get_me', { status: 'ok', result: {} })).toThrow('permissions');
    const result = { tracker_id: 1, status: 'open' };
    expect(() => expectDescribed('set_tracker_status', { status: 'ok', result })).not.toThrow();
    expect(() => expectDescribed('set_tracker_status', { status: 'ok', result: {} })).toThrow('tracker_id');
  });
});

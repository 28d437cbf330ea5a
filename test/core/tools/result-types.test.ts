import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { flag } from '../../../core/actions/flag.ts';
import { trackerGist } from '../../../core/actions/gist.ts';
import { send } from '../../../core/actions/send.ts';
import { messageIdShape } from '../../../core/contract/shapes.ts';
import { writtenBy } from '../../../core/contract/text-author.ts';
import type { KeyCalls } from '../../../core/gate/key-calls.ts';
import { defineLightWrite, defineRead, defineWrite } from '../../../core/tools/define-tool.ts';
import { expectDescribed } from '../../described-outcome.ts';
import { READ, WRITE } from './tool-facts.ts';

// A tool's result is what its `output` says: the compiler refuses another one, and the doors of the tests find one that
// came past it. Each line with an expected error is an assertion of `npm run typecheck`.

const output = z.object({ count: z.int() });

const message = { envelope: { from: 'a@example.org', to: ['b@example.org'] }, raw: '', messageId: '' };
const sending = send({ kind: 'send', account: { accountId: 1, email: '' }, message, about: null });
const flagging = flag({ kind: 'flag', state: 'read', targets: [] });
const planned = { findings: [], gist: trackerGist(''), request: {}, targets: [] } as const;
const sent = z.object({ sent: z.boolean(), recipients: z.int() });
const marked = z.object({ done: z.boolean(), action: writtenBy('countersign', z.string()) });
const folder = writtenBy('owner', z.string());
const items = z.union([z.object({ items: z.array(z.object({ id: messageIdShape })) }), z.object({ folder })]);

function notTyped(): void {
  defineRead({ ...READ, output, run: async () => ({ kind: 'result', result: { count: 1, more: true } }) });
  // @ts-expect-error the result has another type
  defineRead({ ...READ, output, run: async () => ({ kind: 'result', result: { count: 'one' } }) });
  // @ts-expect-error the result lacks a field
  defineRead({ ...READ, output, run: async () => ({ kind: 'empty', result: { reason: 'none' } }) });
  // @ts-expect-error a part of the result lacks a field
  defineRead({ ...READ, output, run: async () => ({ kind: 'cut', most: 1, at: () => ({}) }) });

  defineWrite({ ...WRITE, output: sent, plan: async () => ({ ...planned, action: sending }) });
  // @ts-expect-error the action comes to something else
  defineWrite({ ...WRITE, output, plan: async () => ({ ...planned, action: sending }) });

  const light = { ...WRITE, output: marked, directOutput: items };
  defineLightWrite({ ...light, plan: async () => ({ ...planned, action: flagging }) });
  // @ts-expect-error the action may not run without an approval
  defineLightWrite({ ...light, output: sent, plan: async () => ({ ...planned, action: sending }) });
  // @ts-expect-error what it answers when it runs at once is something else
  defineLightWrite({ ...light, directOutput: output, plan: async () => ({ ...planned, action: flagging }) });
}

/** What the compiler knows of an outcome: the fields that its tool or its code describes, and no others. */
async function outcomesTyped(key: KeyCalls): Promise<void> {
  const message = await key.call('get_email', { id: 'm1_1' });
  if (message.status === 'error') {
    if (message.code === 'rate_limited') message.details.retry_after_s.toFixed();
    if (message.code === 'not_found') message.details?.reason?.endsWith('message');
    // @ts-expect-error the details of this code are others
    if (message.code === 'rate_limited') message.details.max_bytes;
    // @ts-expect-error no code has these details
    if (message.code === 'invalid_token') message.details?.reason;
  } else if (message.status !== 'pending_approval') {
    message.result.attachments[0]?.name.trim();
    message.result.untrusted_fields?.includes('subject');
    // @ts-expect-error there is no such field
    message.result.subjct;
    // @ts-expect-error an attachment has no such field
    message.result.attachments[0]?.nme;
  }
  const several = await key.call('get_email', { ids: ['m1_1'] });
  if (several.status === 'ok' && 'messages' in several.result) several.result.messages[0]?.body?.trim();

  const sent = await key.call('send_email', { to: ['a@example.org'], subject: '', body: '' });
  if (sent.status === 'ok') {
    sent.result.approval.result?.recipients.toFixed();
    // @ts-expect-error its action comes to something else
    sent.result.approval.result?.items;
  }

  const me = await key.call('get_me', {});
  if (me.status === 'ok') {
    me.result.permissions.groups['mail:send'].endsWith('direct');
    // @ts-expect-error there is no such group
    me.result.permissions.groups['mail:sned'];
  }
}

describe('an outcome that its tool does not describe', () => {
  it('is found by the doors of the tests', () => {
    for (const typed of [notTyped, outcomesTyped]) expect(typed).toBeTypeOf('function');
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
    const attachments = [{ index: 0, name: 'a.pdf', mime: '', size: 1, author: 'Ada' }];
    const listed = { id: 'm1_1', attachments, total: 1, returned: 1, has_more: false };
    expect(() => expectDescribed('list_attachments', { status: 'ok', result: listed })).toThrow(
      'fields that its tool does not describe: attachments[].author',
    );
    const result = { tracker_id: 1, status: 'open' };
    expect(() => expectDescribed('set_tracker_status', { status: 'ok', result })).not.toThrow();
    expect(() => expectDescribed('set_tracker_status', { status: 'ok', result: {} })).toThrow('tracker_id');
  });
});

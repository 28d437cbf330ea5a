import * as z from 'zod';
import { ServiceError } from '../errors.ts';
import type { Hold } from '../holds.ts';
import { findRow, messageTarget, placeOf } from '../mailbox.ts';
import type { Result } from '../outcome.ts';
import type { ActionPlan, MessageTarget } from '../plan.ts';
import { MailError, type MailFlag } from '../ports/mail.ts';
import { messageId } from '../schema.ts';
import {
  type CallContext,
  type Checked,
  defineWrite,
  type Planned,
  type RunContext,
  targetOf,
} from './define-tool.ts';

/** Small changes of messages: flags, safe to repeat. */

const selection = z
  .strictObject({
    id: messageId.optional(),
    ids: z
      .array(messageId)
      .min(1)
      .optional()
      .meta({ description: 'Several messages; exactly one of id and ids.' }),
  })
  .refine(({ id, ids }) => (id === undefined) !== (ids === undefined), {
    path: ['id'],
    message: 'give exactly one of id and ids',
  });

/** The messages that a call selects. @throws ServiceError too_many_targets */
function selected(args: z.output<typeof selection>, context: CallContext): string[] {
  const ids = [...new Set(args.ids ?? (args.id === undefined ? [] : [args.id]))];
  const most = context.limits.messagesPerBulk;
  if (ids.length > most) throw new ServiceError('too_many_targets', { details: { max_targets: most } });
  return ids;
}

interface FlagChange {
  readonly tool: string;
  readonly flag: MailFlag;
  readonly on: boolean;
  /** The word of the result: read, unread, flagged. */
  readonly state: string;
}

async function planFlag(
  change: FlagChange,
  args: z.output<typeof selection>,
  context: CallContext,
): Promise<Planned> {
  const targets: MessageTarget[] = [];
  for (const id of selected(args, context)) {
    const { account, row } = await findRow(context, id);
    targets.push(messageTarget(account, id, row));
    context.shown(id);
  }
  const [first] = targets;
  const account = context.accounts.find((one) => one.accountId === first?.accountId);
  const single = new Set(targets.map((target) => target.accountId)).size === 1 && account !== undefined;
  const holds: Hold[] = targets.length > 1 && context.owner.plan === 'free' ? ['several_messages'] : [];
  const plan: ActionPlan = {
    v: 1,
    tool: change.tool,
    account: single ? { accountId: account.accountId, email: account.email } : null,
    envelope: null,
    raw: null,
    messageId: null,
    targets,
    holds,
    warnings: [],
    display: [{ label: 'Change', text: `mark as ${change.state}` }],
    record: null,
  };
  const named = targets.map(targetOf);
  return { plan, request: { targets: [...named].sort() }, targets: named };
}

/** One outcome for each message. It is a failure only when none of them was changed. */
async function performFlag(change: FlagChange, plan: ActionPlan, run: RunContext): Promise<Result> {
  const items: Result[] = [];
  let failure: MailError | undefined;
  for (const target of plan.targets) {
    const named = { id: target.id, account_id: target.accountId };
    try {
      items.push({ ...named, ...(await changeFlag(change, target, run)) });
    } catch (error) {
      if (!(error instanceof MailError) || error.code === 'not_started') throw error;
      failure ??= error;
      items.push({
        ...named,
        done: false,
        code: error.code === 'not_found' ? 'not_found' : 'upstream_mail_error',
      });
    }
  }
  if (failure !== undefined && !items.some((item) => item.done)) throw failure;
  return { done: true, action: change.tool, items };
}

async function changeFlag(change: FlagChange, target: MessageTarget, run: RunContext): Promise<Result> {
  const call = await run.mailCall(target.accountId);
  const row = await placeOf(run.ports.mail, call, target);
  if (row === undefined) throw new MailError('not_found', 'the message is no longer where it was');
  const matches = await run.ports.mail.setFlag(call, row.place, change.flag, change.on, run.start);
  return { folder: row.place.path, done: true, state: change.state, matches_request: matches };
}

async function checkFlag(change: FlagChange, plan: ActionPlan, run: RunContext): Promise<Checked> {
  const items: Result[] = [];
  for (const target of plan.targets) {
    const row = await placeOf(run.ports.mail, await run.mailCall(target.accountId), target);
    if (row === undefined || row.flags.has(change.flag) !== change.on) return { kind: 'repeat' };
    const { path } = row.place;
    const state = { done: true, state: change.state, matches_request: true };
    items.push({ id: target.id, account_id: target.accountId, folder: path, ...state });
  }
  return { kind: 'happened', result: { done: true, action: change.tool, items } };
}

const itemsOf = z.object({ items: z.array(z.record(z.string(), z.unknown())).min(1) });

/** One message: its item bare. Several: `items`. Source: API.md, mark-read. */
function directFlag(plan: ActionPlan, result: Result): Result {
  const { items } = itemsOf.parse(result);
  const [first] = items;
  if (plan.targets.length > 1 || first === undefined) return { items };
  const { done: _done, ...item } = first;
  return item;
}

const READ: FlagChange = { tool: 'mark_read', flag: 'seen', on: true, state: 'read' };

export const markRead = defineWrite({
  name: READ.tool,
  title: 'Mark as read',
  description: 'Marks one message (id) or several (ids) as read. Give exactly one of id and ids.',
  group: 'mail:organize',
  kind: 'light',
  action: null,
  sends: false,
  repeatable: false,
  untrusted: [],
  input: selection,
  plan: (args, context) => planFlag(READ, args, context),
  perform: (plan, run) => performFlag(READ, plan, run),
  check: (plan, run) => checkFlag(READ, plan, run),
  direct: directFlag,
});

import * as z from 'zod';
import type { Hold } from '../holds.ts';
import { folderName, placeOf } from '../mailbox.ts';
import type { Result } from '../outcome.ts';
import type { ActionPlan } from '../plan.ts';
import type { MailFlag } from '../ports/mail.ts';
import { type Checked, defineWrite, type RunContext, type WriteTool } from './define-tool.ts';
import {
  changeEach,
  ONE_SELECTION,
  oneSelection,
  planChange,
  selectedTargets,
  selection,
} from './message-selection.ts';
import { changedItem, changeResult, itemsOf } from './result-shapes.ts';

/** Small changes of messages: flags, safe to repeat. */

/** What a message was made: API.md, Message read state. */
const marked = {
  state: z.enum(['read', 'unread', 'flagged']),
  matches_request: z.boolean().meta({ description: 'Whether the server now shows it as asked.' }),
};
const markedItem = changedItem.extend(z.object(marked).partial().shape);

interface FlagChange {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly flag: MailFlag;
  readonly on: boolean;
  /** The word of the result: read, unread, flagged. */
  readonly state: string;
}

function defineFlag(change: FlagChange): WriteTool {
  const { name, title, description, flag, on, state } = change;
  return defineWrite({
    name,
    title,
    description: `${description} Give exactly one of id and ids.`,
    group: 'mail:organize',
    kind: 'light',
    action: null,
    sends: false,
    repeatable: false,
    untrusted: [],
    input: z.strictObject(selection).refine(oneSelection, ONE_SELECTION),
    output: changeResult.extend(itemsOf(markedItem)),
    directOutput: z.union([
      z.looseObject({
        ...changedItem.pick({ id: true, account_id: true }).shape,
        folder: z.string(),
        ...marked,
      }),
      z.looseObject({ ...itemsOf(markedItem), items: z.array(markedItem) }),
    ]),
    async plan(args, context) {
      const targets = await selectedTargets(args, context);
      const holds: Hold[] = targets.length > 1 && context.owner.plan === 'free' ? ['several_messages'] : [];
      const display = [{ label: 'Change', text: `mark as ${state}` }];
      return planChange(context, { tool: name, targets, holds, display, record: null });
    },
    perform: (plan, run) =>
      changeEach(plan, run, name, async ({ call }, row) => ({
        state,
        matches_request: await run.ports.mail.setFlag(call, row.place, flag, on, run.start),
      })),
    check: (plan, run) => checkFlag(change, plan, run),
    direct: directFlag,
  });
}

async function checkFlag(change: FlagChange, plan: ActionPlan, run: RunContext): Promise<Checked> {
  const items: Result[] = [];
  for (const target of plan.targets) {
    const { call } = await run.mailbox(target.accountId);
    const row = await placeOf(run.ports.mail, call, target);
    if (row === undefined || row.flags.has(change.flag) !== change.on) return { kind: 'repeat' };
    const { id, accountId } = target;
    items.push({ id, account_id: accountId, state: change.state, matches_request: true, done: true });
  }
  return { kind: 'happened', result: { done: true, action: change.name, items } };
}

const severalItems = z.object({ items: z.array(z.record(z.string(), z.unknown())).min(1) });

/** One message: its item bare, with its folder. Several: `items`. Source: API.md, mark-read. */
function directFlag({ targets }: ActionPlan, result: Result): Result {
  const { items } = severalItems.parse(result);
  const [target, ...others] = targets;
  if (target === undefined || others.length > 0) return { items };
  const { done: _done, ...item } = items[0] ?? {};
  return { ...item, folder: folderName(target.path) };
}

export const markRead = defineFlag({
  name: 'mark_read',
  title: 'Mark as read',
  description: 'Marks one message (id) or several (ids) as read.',
  flag: 'seen',
  on: true,
  state: 'read',
});

export const markUnread = defineFlag({
  name: 'mark_unread',
  title: 'Mark as unread',
  description: 'Marks one message (id) or several (ids) as unread.',
  flag: 'seen',
  on: false,
  state: 'unread',
});

export const flagEmail = defineFlag({
  name: 'flag_email',
  title: 'Star',
  description: 'Stars (flags) one message (id) or several (ids).',
  flag: 'flagged',
  on: true,
  state: 'flagged',
});

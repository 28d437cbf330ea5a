import * as z from 'zod';
import { ServiceError } from '../errors.ts';
import type { Hold } from '../holds.ts';
import type { MessageRow } from '../mail/message-row.ts';
import type { Mailbox } from '../mail-call.ts';
import { findRow, messageTarget, placeOf } from '../mailbox.ts';
import type { Result } from '../outcome.ts';
import type { ActionPlan, MessageTarget } from '../plan.ts';
import { MailError, type MailErrorCode } from '../ports/mail.ts';
import { readingUntilMs, readMessages } from '../read-message.ts';
import { messageId } from '../schema.ts';
import { type CallContext, type Planned, type RunContext, targetOf } from './define-tool.ts';

/** Tools that change messages take one (`id`) or several (`ids`); each of them is a target with an outcome of its own. */
export const selection = {
  id: messageId.optional(),
  ids: z
    .array(messageId)
    .min(1)
    .optional()
    .meta({ description: 'Several messages; exactly one of id and ids.' }),
};

interface Selection {
  readonly id?: string | undefined;
  readonly ids?: readonly string[] | undefined;
}

/** For `.refine`: exactly one of the two. */
export const oneSelection = ({ id, ids }: Selection): boolean => (id === undefined) !== (ids === undefined);
export const ONE_SELECTION = { path: ['id'], message: 'give exactly one of id and ids' };

/**
 * The messages that a call selects, each once, as a plan keeps them.
 * @throws ServiceError too_many_targets, not_found, invalid_message_id
 */
export async function selectedTargets(args: Selection, context: CallContext): Promise<MessageTarget[]> {
  const ids = new Set(args.ids ?? (args.id === undefined ? [] : [args.id]));
  const most = context.limits.messagesPerBulk;
  if (ids.size > most) throw new ServiceError('too_many_targets', { details: { max_targets: most } });
  // Two ids may have come to mean one message, when it has moved between them.
  const targets = new Map<string, MessageTarget>();
  for (const id of ids) {
    const { account, row } = await findRow(context, id);
    const { path, uidValidity, uid } = row.place;
    const place = JSON.stringify([account.accountId, path, uidValidity, uid]);
    if (!targets.has(place)) targets.set(place, messageTarget(account, id, row));
    context.shown(id);
  }
  return [...targets.values()];
}

/** A change of messages, as it is filed. */
export async function planChange(
  context: CallContext,
  change: {
    readonly tool: string;
    readonly targets: readonly MessageTarget[];
    readonly holds: readonly Hold[];
    /** All that the record says, in words for the owner. */
    readonly display: ActionPlan['display'];
    readonly record: ActionPlan['record'];
  },
): Promise<Planned> {
  const { tool, targets, display, record } = change;
  const holds = [...change.holds];
  const waits = context.mode === 'approval' || holds.length > 0;
  const plan: ActionPlan = {
    v: 1,
    tool,
    account: accountOf(targets, context),
    envelope: null,
    raw: null,
    messageId: null,
    targets: waits ? await previewed(targets, context) : [...targets],
    holds,
    warnings: [],
    display,
    record,
  };
  const named = targets.map(targetOf);
  return { plan, request: { targets: [...named].sort(), ...record }, targets: named };
}

const PREVIEW_CHARS = 140;
/** White space may be most of what a text begins with. */
const LOOKED_AT = 100 * PREVIEW_CHARS;

/** The owner is shown a line of each message that a request is about. */
async function previewed(targets: readonly MessageTarget[], context: CallContext): Promise<MessageTarget[]> {
  const previews = new Map<MessageTarget, string>();
  for (const account of context.accounts) {
    const own = targets.filter((target) => target.accountId === account.accountId);
    if (own.length === 0) continue;
    const wanted = own.map((target) => ({ place: target, sizeBytes: target.sizeBytes }));
    const reading = { window: { from: 0, most: LOOKED_AT }, untilMs: readingUntilMs(context) };
    const left = own.values();
    for await (const message of readMessages(context.ports, context.mailCall(account), wanted, reading)) {
      const { value: target } = left.next();
      if (target !== undefined) previews.set(target, firstLine(message?.body.text ?? ''));
    }
  }
  return targets.map((target) => ({ ...target, preview: previews.get(target) ?? '' }));
}

function firstLine(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  const characters = Array.from(line);
  if (characters.length <= PREVIEW_CHARS) return line;
  return `${characters.slice(0, PREVIEW_CHARS).join('').trimEnd()}…`;
}

/** The account that a plan belongs to: that of its targets, null when there are several. */
function accountOf(targets: readonly MessageTarget[], context: CallContext): ActionPlan['account'] {
  const accounts = context.accounts.filter(({ accountId }) =>
    targets.some((target) => target.accountId === accountId),
  );
  const [account] = accounts;
  if (account === undefined || accounts.length > 1) return null;
  return { accountId: account.accountId, email: account.email };
}

/**
 * Changes the targets one after the other, each at its place with its identity checked. It is a failure only when
 * none of them was changed.
 */
export async function changeEach(
  plan: ActionPlan,
  run: RunContext,
  action: string,
  change: (mailbox: Mailbox, row: MessageRow) => Promise<Result>,
): Promise<Result> {
  const items: Result[] = [];
  const failures: MailError[] = [];
  for (const target of plan.targets) {
    const named = { id: target.id, account_id: target.accountId };
    try {
      const mailbox = await run.mailbox(target.accountId);
      const row = await placeOf(run.ports.mail, mailbox.call, target);
      if (row === undefined) throw new MailError('not_found', 'the message is no longer where it was');
      items.push({ ...named, ...(await change(mailbox, row)), done: true });
    } catch (error) {
      if (!(error instanceof MailError) || error.code === 'not_started') throw error;
      failures.push(error);
      items.push({ ...named, done: false, code: codeOf(error) });
    }
  }
  const [first] = failures;
  if (first !== undefined && failures.length === items.length) {
    // What may have been done decides; then what may still be done.
    const weightiest = (code: MailErrorCode) => failures.find((failure) => failure.code === code);
    throw weightiest('outcome_unknown') ?? weightiest('unavailable') ?? first;
  }
  return { done: true, action, items };
}

/** The code of one message's outcome; one that may have been changed says so. */
function codeOf({ code }: MailError): string {
  return code === 'not_found' || code === 'outcome_unknown' ? code : 'upstream_mail_error';
}

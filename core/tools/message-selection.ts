import * as z from 'zod';
import { readingUntilMs, readMessages } from '../accounts/read-message.ts';
import { targetsGist } from '../actions/gist.ts';
import { type MessageTarget, targetName } from '../actions/message-target.ts';
import type { CallContext } from '../call/context.ts';
import { itemsWanted } from '../call/items.ts';
import { findRow, MESSAGE_ERRORS, messageTarget } from '../call/mailbox.ts';
import { ServiceError } from '../contract/errors.ts';
import type { Result } from '../contract/result.ts';
import { messageId, messageIdInList } from '../contract/schema.ts';
import type { Planned } from '../plans/planned.ts';
import type { Account } from '../ports/account.ts';
import { type Finding, holdsOf } from '../safety/finding.ts';

/** Tools that change messages accept one (`id`) or several (`ids`). Each is a target with its own outcome. */
export const selection = {
  id: messageId.optional(),
  ids: z
    .array(messageIdInList)
    .min(1)
    .optional()
    .meta({ description: 'Several messages; exactly one of id and ids.' }),
  items: itemsWanted,
};

interface Selection {
  readonly id?: string | undefined;
  readonly ids?: readonly string[] | undefined;
}

/** For `.refine`: exactly one of the two. */
export const oneSelection = ({ id, ids }: Selection): boolean => (id === undefined) !== (ids === undefined);
export const ONE_SELECTION = { path: ['id'], message: 'give exactly one of id and ids' };

/** The errors of a change of the selected messages. */
export const SELECTION_ERRORS = [...MESSAGE_ERRORS, 'pending_exists_for_target', 'too_many_targets'] as const;

interface Selected {
  readonly account: Account;
  readonly target: MessageTarget;
}

/**
 * Returns the messages that a call selects, each once, as a plan stores them.
 * @throws ServiceError too_many_targets, not_found, invalid_message_id
 */
export async function selectedMessages(args: Selection, context: CallContext): Promise<Selected[]> {
  const ids = new Set(args.ids ?? (args.id === undefined ? [] : [args.id]));
  const most = context.limits.messagesPerBulk;
  if (ids.size > most) throw new ServiceError('too_many_targets', { details: { max_targets: most } });
  await context.handles.load(context.owner.ownerId, [...ids]);
  // Two ids may mean the same message by now, if it was moved.
  const selected = new Map<string, Selected>();
  for (const id of ids) {
    const field = args.ids === undefined ? 'id' : `ids[${args.ids.indexOf(id)}]`;
    const { account, row } = await findRow(context, id, field);
    const { path, uidValidity, uid } = row.place;
    const place = JSON.stringify([account.accountId, path, uidValidity, uid]);
    if (!selected.has(place)) selected.set(place, { account, target: messageTarget(account, id, row) });
    context.shown(id);
  }
  return [...selected.values()];
}

/**
 * Returns what a change of messages is compared, named and listed by.
 * @param change what is done to them, in the caller's terms
 * @param into the folder or label that they get, if the tool does not say it
 */
export function requestOf(
  targets: readonly MessageTarget[],
  change: Result,
  into?: string,
): Pick<Planned, 'gist' | 'request' | 'targets'> {
  const names = targets.map((target) => targetName(target.account.accountId, target));
  const request = { targets: [...names].sort(), ...change };
  return { gist: targetsGist(targets, into), request, targets: names };
}

const PREVIEW_CHARS = 140;
/** A text may start with a lot of white space. */
const LOOKED_AT = 100 * PREVIEW_CHARS;

/** Adds a line of each text to the targets if the owner will see them. */
export async function previewed<T extends MessageTarget>(
  targets: readonly T[],
  findings: readonly Finding[],
  context: CallContext,
): Promise<T[]> {
  const waits = context.mode === 'approval' || holdsOf(findings).length > 0;
  if (!waits) return [...targets];
  const previews = new Map<T, string>();
  for (const account of context.accounts) {
    const own = targets.filter((target) => target.account.accountId === account.accountId);
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

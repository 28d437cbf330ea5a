import * as z from 'zod';
import type { CallContext } from '../call/context.ts';
import { ServiceError } from '../contract/errors.ts';
import { messageIdShape, timestamp } from '../contract/shapes.ts';
import { thirdParty, writtenBy } from '../contract/text-author.ts';
import { isAccountInside } from '../keys/fences.ts';
import { dueAt, isoIn } from '../time/time-zone.ts';
import type { Tracker, TrackerLink } from '../trackers/tracker-storage.ts';
import { accountIdShape } from './result-shapes.ts';

/** Trackers in arguments and results. */

export const trackerId = z
  .int()
  .min(1)
  .max(2_147_483_647)
  .meta({ description: 'A tracker, as list_trackers shows it.' });

export const trackerIdShape = z.int().min(1);
export const trackerStatusShape = z.enum(['open', 'waiting', 'resolved']);

export const trackerShape = z.object({
  tracker_id: trackerIdShape,
  title: thirdParty(z.string()),
  status: trackerStatusShape,
  importance: z.enum(['low', 'normal', 'important']),
  keywords: thirdParty(z.string()).meta({ description: 'Comma-separated.' }),
  due_at: timestamp
    .nullable()
    .meta({ format: 'date-time', description: 'The last second of the day on which it is due.' }),
  summary: thirdParty(z.string()).meta({ description: 'What its messages say.' }),
  summary_source_count: z.int().min(0).meta({ description: 'How many messages the summary is made of.' }),
  next_action: thirdParty(z.string()).meta({ description: 'What its messages ask the owner to do next.' }),
  last_auto_link_at: timestamp
    .optional()
    .meta({ format: 'date-time', description: 'Present once mail was linked by keywords.' }),
  created_at: timestamp,
  resolved_at: timestamp.nullable(),
  added_by_agent: z.boolean().meta({ description: 'Whether a program created it.' }),
});

export const linkShape = z.object({
  link_id: z.int().min(1),
  kind: z.enum(['mail', 'event', 'note']),
  subject: thirdParty(z.string()),
  from: thirdParty(z.string()),
  date: timestamp,
  note: thirdParty(z.string()).nullable(),
  note_offset: z.int().min(0).optional().meta({ description: 'Where this part of a long note starts.' }),
  note_truncated: z.boolean().optional().meta({ description: 'true: it continues in the next page.' }),
  added_by: writtenBy('countersign', z.string()).meta({
    description: 'agent, owner, or auto: linked by keywords.',
  }),
  created_at: timestamp,
  id: messageIdShape.optional().meta({ description: 'Of a message.' }),
  account_id: accountIdShape.optional().meta({ description: 'Of a message.' }),
  folder: writtenBy('owner', z.string()).optional().meta({ description: 'Of a message.' }),
  event_id: z.int().min(1).optional().meta({ description: 'Of an event.' }),
});

export type LinkRow = z.input<typeof linkShape>;

/** @throws ServiceError not_found */
async function trackerNamed(context: CallContext, id: number): Promise<Tracker> {
  const { ownerId } = context.owner;
  const found = await context.ports.storage.tracker({ ownerId, trackerId: id, upTo: undefined, limit: 0 });
  if (found === undefined) throw noTracker();
  return found.tracker;
}

/**
 * Returns the tracker of a change as a plan stores it, with its current status. @throws ServiceError
 * not_found
 */
export async function trackerChosen(context: CallContext, id: number) {
  const { trackerId, title, status } = await trackerNamed(context, id);
  context.shown(`tracker:${trackerId}`);
  return { tracker: { trackerId, title }, status };
}

export function noTracker(): ServiceError {
  return new ServiceError('not_found', { details: { reason: 'tracker' } });
}

/**
 * `last_auto_link_at` is absent until the first automatic link. Summary and next action quote mail of every account, so
 * a key that is bound to accounts does not get them.
 */
export function trackerRow(
  { fences, owner: { timezone } }: CallContext,
  tracker: Tracker,
): z.input<typeof trackerShape> {
  const { lastAutoLinkAt } = tracker;
  const summary =
    fences.accounts === null
      ? tracker.summary
      : { ...tracker.summary, text: '', nextAction: '', sourceCount: 0 };
  return {
    tracker_id: tracker.trackerId,
    title: tracker.title,
    status: tracker.status,
    importance: summary.importance,
    keywords: tracker.keywords,
    due_at: dueAt(tracker.dueOn, timezone),
    summary: summary.text,
    summary_source_count: summary.sourceCount,
    next_action: summary.nextAction,
    ...(lastAutoLinkAt === null ? {} : { last_auto_link_at: lastAutoLinkAt.toISOString() }),
    created_at: tracker.createdAt.toISOString(),
    resolved_at: tracker.resolvedAt?.toISOString() ?? null,
    added_by_agent: tracker.addedByAgent,
  };
}

/** The links to messages and events of accounts outside the fences. */
export async function linksOutside(
  { fences, ports, owner }: CallContext,
  links: readonly TrackerLink[],
): Promise<ReadonlySet<TrackerLink>> {
  if (fences.accounts === null) return new Set();
  const accounts = await Promise.all(
    links.map(async ({ content }) => {
      if (content.kind === 'mail') return content.message.accountId;
      return content.kind === 'event'
        ? (await ports.storage.event(owner.ownerId, content.eventId))?.accountId
        : null;
    }),
  );
  return new Set(
    links.filter((_, index) => {
      const accountId = accounts[index];
      return accountId === undefined || (accountId !== null && !isAccountInside(fences, accountId));
    }),
  );
}

/** The ids of the messages that are linked. */
export async function idsOfLinks(
  { handles, owner }: CallContext,
  links: readonly TrackerLink[],
): Promise<ReadonlyMap<TrackerLink, string>> {
  const linked = links.flatMap((link) =>
    link.content.kind === 'mail' ? [{ link, message: link.content.message }] : [],
  );
  const ids = await handles.idsOf(
    owner.ownerId,
    linked.map(({ message }) => message),
  );
  return new Map(linked.map(({ link }, at) => [link, ids[at] ?? '']));
}

/**
 * Fields that a kind of link does not have are empty; `date` is then that of the link.
 * @param id  of its message @param isOutside only that there is such a link is shown
 */
export function linkRow(
  context: CallContext,
  { linkId, addedBy, createdAt, content }: TrackerLink,
  id: string | undefined,
  isOutside: boolean,
): LinkRow {
  const base = { link_id: linkId, kind: content.kind };
  const rest = { added_by: addedBy, created_at: createdAt.toISOString() };
  if (isOutside) return { ...base, subject: '', from: '', date: rest.created_at, note: null, ...rest };
  switch (content.kind) {
    case 'note':
      return { ...base, subject: '', from: '', date: rest.created_at, note: content.note, ...rest };
    case 'event': {
      const date = isoIn(content.start, context.owner.timezone);
      const event = { event_id: content.eventId };
      return { ...base, subject: content.title, from: '', date, note: null, ...rest, ...event };
    }
    case 'mail': {
      const { accountId, place, from, subject, date } = content.message;
      const mail = { ...(id !== undefined && { id }), account_id: accountId, folder: place.path };
      return { ...base, subject, from, date, note: null, ...rest, ...mail };
    }
  }
}

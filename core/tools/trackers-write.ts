import * as z from 'zod';
import { storedEvent } from '../calendar/find-event.ts';
import { EXCERPT_WINDOW } from '../extractive-summary.ts';
import { linkedMessage } from '../linked-message.ts';
import { messageNamed, messageTarget, ROW_FIELD_CHARS } from '../mailbox.ts';
import type { Result } from '../outcome.ts';
import type { ActionPlan } from '../plan.ts';
import { MailError } from '../ports/mail.ts';
import type { LinkContent, Tracker, TrackerLink } from '../ports/tracker-storage.ts';
import { bodyText, line, messageId, text } from '../schema.ts';
import { shortened } from '../shortened.ts';
import { isoIn, wordsIn } from '../time-zone.ts';
import { defineWrite, type RunContext, targetOf } from './define-tool.ts';
import { messageIdShape, timestamp } from './result-shapes.ts';
import {
  changeOutput,
  directResult,
  performTrackerChange,
  planStatus,
  planTrackerChange,
  setStatus,
  statusOutput,
} from './tracker-change.ts';
import { dueAt, trackerId, trackerIdShape, trackerNamed, trackerStatusShape } from './tracker-fields.ts';

const TITLE_CHARS = 200;

const dueDate = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .refine((date) => z.iso.date().safeParse(date).success, { message: 'must be a day that exists' })
  .meta({ description: 'YYYY-MM-DD; due by the end of that day.' });

/** What the plan keeps of a tracker that is to be made. */
const record = z.strictObject({
  title: z.string(),
  keywords: z.string(),
  dueOn: z.string().nullable(),
  timezone: z.string(),
});

const created = z.looseObject({
  tracker_id: trackerIdShape,
  title: z.string(),
  status: trackerStatusShape,
  due_at: timestamp.nullable(),
  created: z.literal(true),
});

export const createTracker = defineWrite({
  name: 'create_tracker',
  title: 'Create a tracker',
  description: 'Opens a tracker for a topic; new mail that holds its keywords is linked to it.',
  group: 'trackers:write',
  kind: 'light',
  action: 'create',
  sends: false,
  repeatable: false,
  untrusted: ['title'],
  input: z.strictObject({
    title: line({ min: 1, max: TITLE_CHARS, description: 'One line.' }),
    keywords: line({
      min: 0,
      max: 500,
      description: 'Comma-separated; used for automatic linking.',
    }).optional(),
    due: dueDate.optional(),
  }),
  ...changeOutput(created, 'create'),
  async plan(args, { owner }) {
    const { title, keywords = '', due } = args;
    const plan: ActionPlan = {
      v: 1,
      tool: 'create_tracker',
      account: null,
      envelope: null,
      raw: null,
      messageId: null,
      targets: [],
      holds: [],
      warnings: [],
      display: [
        { label: 'Title', text: title },
        { label: 'Keywords', text: keywords },
        { label: 'Due', text: due ?? 'no date' },
      ],
      record: { title, keywords, dueOn: due ?? null, timezone: owner.timezone },
    };
    return { plan, request: { title, keywords, due }, targets: [] };
  },
  async perform(plan, run) {
    const tracker = await create(plan, run);
    return { ...shown(plan, tracker), done: true, action: 'create' };
  },
  // The same request makes one tracker only, however often it is asked for.
  check: async () => ({ kind: 'repeat' }),
  direct: directResult,
});

async function create(
  plan: ActionPlan,
  { ports, ownerId, requestId, date, start }: RunContext,
): Promise<Tracker> {
  const { title, keywords, dueOn } = record.parse(plan.record);
  if (!(await start())) throw new MailError('not_started', 'the run was not allowed to start');
  return ports.storage.createTracker({
    ownerId,
    requestId,
    title,
    keywords,
    dueOn,
    addedByAgent: true,
    now: date,
  });
}

function shown(plan: ActionPlan, tracker: Tracker): Result {
  const { timezone } = record.parse(plan.record);
  return {
    tracker_id: tracker.trackerId,
    title: tracker.title,
    status: tracker.status,
    due_at: dueAt(tracker.dueOn, timezone),
    created: true,
  };
}

export const setTrackerStatus = defineWrite({
  name: 'set_tracker_status',
  title: 'Change the status of a tracker',
  description: 'Sets a tracker to open or waiting; one that was resolved becomes active again.',
  group: 'trackers:write',
  kind: 'light',
  action: null,
  sends: false,
  repeatable: false,
  untrusted: [],
  input: z.strictObject({
    tracker_id: trackerId,
    status: z.enum(['open', 'waiting']).meta({ description: 'To resolve one, call resolve_tracker.' }),
  }),
  ...statusOutput('set_tracker_status'),
  plan: (args, context) =>
    planStatus(context, { tool: 'set_tracker_status', trackerId: args.tracker_id, status: args.status }),
  perform: (plan, run) => setStatus(plan, run, 'set_tracker_status'),
  check: async () => ({ kind: 'repeat' }),
  direct: directResult,
});

/** What is put into a tracker: notes, messages, events. Each once, however often the request is repeated. */

const facts = {
  group: 'trackers:write',
  kind: 'light',
  action: null,
  sends: false,
  repeatable: false,
  untrusted: [],
  direct: directResult,
} as const;

function linkOutput(action: string, facts: z.ZodRawShape) {
  const link = { tracker_id: trackerIdShape, link_id: z.int().min(1), ...facts };
  return changeOutput(z.looseObject(link), action);
}

function addLink(
  run: RunContext,
  link: { readonly trackerId: number; readonly target: string; readonly content: LinkContent },
): Promise<TrackerLink> {
  const { ports, ownerId, date } = run;
  return performTrackerChange(run, () =>
    ports.storage.linkToTracker({ ownerId, addedBy: 'agent', now: date, ...link }),
  );
}

const noteRecord = z.strictObject({ trackerId: z.int(), note: z.string() });

export const addTrackerNote = defineWrite({
  ...facts,
  name: 'add_tracker_note',
  title: 'Add a note to a tracker',
  description: 'Adds a note to a tracker; notes are kept as they are.',
  input: z.strictObject({
    tracker_id: trackerId,
    note: text({ min: 1, max: 10_000, description: 'Plain text.' }),
  }),
  ...linkOutput('add_tracker_note', { kind: z.literal('note') }),
  async plan(args, context) {
    const tracker = await trackerNamed(context, args.tracker_id);
    context.shown(`tracker:${tracker.trackerId}`);
    const note = bodyText(args.note);
    const display = [{ label: 'Note', text: note }];
    return planTrackerChange(tracker, { tool: 'add_tracker_note', display, record: { note } });
  },
  async perform(plan, run) {
    const { trackerId: id, note } = noteRecord.parse(plan.record);
    const content = { kind: 'note', note } as const;
    const { linkId } = await addLink(run, { trackerId: id, target: `note:${run.requestId}`, content });
    return { done: true, action: 'add_tracker_note', tracker_id: id, link_id: linkId, kind: 'note' };
  },
  check: async () => ({ kind: 'repeat' }),
});

const linkRecord = z.strictObject({ trackerId: z.int() });

export const linkToTracker = defineWrite({
  ...facts,
  name: 'link_to_tracker',
  title: 'Link a message to a tracker',
  description: 'Links one message to a tracker; a message that is linked already stays so.',
  input: z.strictObject({ tracker_id: trackerId, message_id: messageId }),
  ...linkOutput('link_to_tracker', { id: messageIdShape, linked: z.literal(true) }),
  async plan(args, context) {
    const tracker = await trackerNamed(context, args.tracker_id);
    const { account, row, message } = await messageNamed(context, args.message_id, EXCERPT_WINDOW);
    context.shown(`tracker:${tracker.trackerId}`);
    context.shown(args.message_id);
    const { from, subject, excerpt } = linkedMessage(account.accountId, row, message.body.text);
    const target = { ...messageTarget(account, args.message_id, row), from, subject, preview: excerpt };
    return planTrackerChange(tracker, {
      tool: 'link_to_tracker',
      display: [],
      record: {},
      account: { accountId: account.accountId, email: account.email },
      targets: [target],
      request: { message: targetOf(target) },
    });
  },
  async perform(plan, run) {
    const { trackerId: id } = linkRecord.parse(plan.record);
    const [target] = plan.targets;
    if (target === undefined) throw new Error('the plan of a link has no message');
    const { accountId, path, uidValidity, uid, stableId, fingerprint, from, subject, date, sizeBytes } =
      target;
    const message = {
      accountId,
      place: { path, uidValidity, uid },
      stableId,
      fingerprint,
      from,
      subject,
      date,
      internalDate: new Date(target.internalDateMs),
      sizeBytes,
      excerpt: target.preview,
    };
    const content = { kind: 'mail', message } as const;
    const { linkId } = await addLink(run, { trackerId: id, target: targetOf(target), content });
    const named = { tracker_id: id, link_id: linkId, id: target.id };
    return { done: true, action: 'link_to_tracker', ...named, linked: true };
  },
  check: async () => ({ kind: 'repeat' }),
});

const eventRecord = z.strictObject({
  trackerId: z.int(),
  eventId: z.int(),
  title: z.string(),
  /** ISO 8601 with an offset. */
  start: z.string(),
});

export const linkEventToTracker = defineWrite({
  ...facts,
  name: 'link_event_to_tracker',
  title: 'Link an event to a tracker',
  description: 'Links one calendar event to a tracker; an event that is linked already stays so.',
  input: z.strictObject({
    tracker_id: trackerId,
    event_id: z.int().min(1).max(2_147_483_647).meta({ description: 'An event, as list_events shows it.' }),
  }),
  ...linkOutput('link_event_to_tracker', { event_id: z.int().min(1), linked: z.literal(true) }),
  async plan(args, context) {
    const { timezone } = context.owner;
    const tracker = await trackerNamed(context, args.tracker_id);
    const { event } = (await storedEvent(context, args.event_id)).stored;
    context.shown(`tracker:${tracker.trackerId}`);
    context.shown(`event:${args.event_id}`);
    const title = shortened(event.title, ROW_FIELD_CHARS);
    const start = isoIn(event.start, timezone);
    return planTrackerChange(tracker, {
      tool: 'link_event_to_tracker',
      display: [
        { label: 'Event', text: title },
        { label: 'Event no.', text: String(args.event_id) },
        { label: 'Begins', text: wordsIn(event.start, timezone) },
      ],
      record: { eventId: args.event_id, title, start },
      request: { event: args.event_id },
    });
  },
  async perform(plan, run) {
    const { trackerId: id, eventId, title, start } = eventRecord.parse(plan.record);
    const content = { kind: 'event', eventId, title, start: new Date(start) } as const;
    const { linkId } = await addLink(run, { trackerId: id, target: `event:${eventId}`, content });
    const named = { tracker_id: id, link_id: linkId, event_id: eventId };
    return { done: true, action: 'link_event_to_tracker', ...named, linked: true };
  },
  check: async () => ({ kind: 'repeat' }),
});

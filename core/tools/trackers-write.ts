import * as z from 'zod';
import { createTracker as createTrackerAction } from '../actions/create-tracker.ts';
import { targetsGist, trackerGist } from '../actions/gist.ts';
import { targetName } from '../actions/message-target.ts';
import { trackerEvent } from '../actions/tracker-event.ts';
import { trackerMessage } from '../actions/tracker-message.ts';
import { trackerNote } from '../actions/tracker-note.ts';
import { trackerStatus } from '../actions/tracker-status.ts';
import { findReadMessage, MESSAGE_ERRORS, messageTarget, ROW_FIELD_CHARS } from '../call/mailbox.ts';
import { bodyText, messageId } from '../contract/schema.ts';
import { messageIdShape, timestamp } from '../contract/shapes.ts';
import { thirdParty } from '../contract/text-author.ts';
import { trackerDue, trackerKeywords, trackerNoteText, trackerTitle } from '../contract/tracker-texts.ts';
import { storedEvent } from '../plans/find-event.ts';
import { shortened } from '../text/shortened.ts';
import { EXCERPT_WINDOW, excerptOf } from '../trackers/extractive-summary.ts';
import { defineLightWrite } from './define-tool.ts';
import { changeOutput, statusOutput, TRACKER_CHANGE_ERRORS, trackerRequest } from './tracker-change.ts';
import { trackerChosen, trackerId, trackerIdShape, trackerStatusShape } from './tracker-fields.ts';

const created = z.object({
  tracker_id: trackerIdShape,
  title: thirdParty(z.string()),
  status: trackerStatusShape,
  due_at: timestamp.nullable(),
  created: z.literal(true),
});

export const createTracker = defineLightWrite({
  name: 'create_tracker',
  title: 'Create a tracker',
  words: { verb: 'create %', past: 'Created %', one: 'a tracker' },
  description:
    'Creates a tracker for a topic. New and sent mail that contains one of its keywords is linked to it automatically. It usually runs at once; it answers pending_approval if the owner wants to decide.',
  group: 'trackers:write',
  errors: [],
  action: 'create',
  input: z.strictObject({
    title: trackerTitle,
    keywords: trackerKeywords.optional(),
    due: trackerDue.optional(),
  }),
  ...changeOutput(created, 'create'),
  async plan(args, { owner }) {
    const { title, keywords = '', due } = args;
    const dueOn = due ?? null;
    const { timezone } = owner;
    return {
      action: createTrackerAction({ kind: 'create_tracker', title, keywords, dueOn, timezone }),
      findings: [],
      gist: trackerGist(title),
      request: { title, keywords, due },
      targets: [],
    };
  },
});

export const setTrackerStatus = defineLightWrite({
  name: 'set_tracker_status',
  title: 'Change the status of a tracker',
  words: { verb: 'change the status of %', past: 'Changed the status of %', one: 'a tracker' },
  description:
    'Sets the status of a tracker to open or waiting. A resolved tracker becomes active again. To close one, use resolve_tracker.',
  group: 'trackers:write',
  errors: TRACKER_CHANGE_ERRORS,
  action: null,
  ownTexts: ['status'],
  input: z.strictObject({
    tracker_id: trackerId,
    status: z.enum(['open', 'waiting']).meta({ description: 'To resolve one, call resolve_tracker.' }),
  }),
  ...statusOutput('set_tracker_status'),
  async plan(args, context) {
    const { tracker, status: from } = await trackerChosen(context, args.tracker_id);
    const to = args.status;
    return {
      action: trackerStatus({ kind: 'tracker_status', word: 'set_tracker_status', tracker, from, to }),
      ...trackerRequest(tracker, { status: to }),
      gist: trackerGist(tracker.title, to),
    };
  },
});

/**
 * Additions to a tracker: notes, messages, events. Each is added once, however often the request is repeated.
 */

const facts = {
  group: 'trackers:write',
  errors: TRACKER_CHANGE_ERRORS,
  action: null,
} as const;

function linkOutput<W extends string, S extends z.ZodRawShape>(action: W, facts: S) {
  const link = { tracker_id: trackerIdShape, link_id: z.int().min(1), ...facts };
  return changeOutput(z.object(link), action);
}

export const addTrackerNote = defineLightWrite({
  ...facts,
  name: 'add_tracker_note',
  title: 'Add a note to a tracker',
  words: { verb: 'add a note to %', past: 'Added a note to %', one: 'a tracker' },
  description: 'Adds a note to a tracker. Notes are stored unchanged and cannot be edited.',
  input: z.strictObject({
    tracker_id: trackerId,
    note: trackerNoteText,
  }),
  ...linkOutput('add_tracker_note', { kind: z.literal('note') }),
  async plan(args, context) {
    const { tracker } = await trackerChosen(context, args.tracker_id);
    const note = bodyText(args.note);
    return {
      action: trackerNote({ kind: 'tracker_note', tracker, note }),
      ...trackerRequest(tracker, { note }),
    };
  },
});

export const linkToTracker = defineLightWrite({
  ...facts,
  errors: [...TRACKER_CHANGE_ERRORS, ...MESSAGE_ERRORS],
  name: 'link_to_tracker',
  title: 'Link a message to a tracker',
  words: { verb: 'link a message to %', past: 'Linked a message to %', one: 'a tracker' },
  description:
    'Links one message to a tracker, for what its keywords do not find. An existing link stays unchanged.',
  input: z.strictObject({ tracker_id: trackerId, message_id: messageId }),
  ...linkOutput('link_to_tracker', { id: messageIdShape, linked: z.literal(true) }),
  async plan(args, context) {
    const { tracker } = await trackerChosen(context, args.tracker_id);
    const { account, row, message } = await findReadMessage(
      context,
      args.message_id,
      EXCERPT_WINDOW,
      'message_id',
    );
    context.shown(args.message_id);
    const preview = excerptOf(message.body.text);
    const target = { ...messageTarget(account, args.message_id, row), preview };
    return {
      action: trackerMessage({ kind: 'tracker_message', tracker, target }),
      ...trackerRequest(tracker, { message: targetName(account.accountId, target) }),
      gist: targetsGist([target], tracker.title),
    };
  },
});

export const linkEventToTracker = defineLightWrite({
  ...facts,
  errors: [...TRACKER_CHANGE_ERRORS, 'upstream_mail_error'],
  name: 'link_event_to_tracker',
  title: 'Link an event to a tracker',
  words: { verb: 'link an event to %', past: 'Linked an event to %', one: 'a tracker' },
  description: 'Links one calendar event to a tracker. An existing link stays unchanged.',
  input: z.strictObject({
    tracker_id: trackerId,
    event_id: z.int().min(1).max(2_147_483_647).meta({ description: 'An event, as list_events shows it.' }),
  }),
  ...linkOutput('link_event_to_tracker', { event_id: z.int().min(1), linked: z.literal(true) }),
  async plan(args, context) {
    const { timezone } = context.owner;
    const { tracker } = await trackerChosen(context, args.tracker_id);
    const { account, stored } = await storedEvent(context, args.event_id);
    const { event } = stored;
    context.shown(`event:${args.event_id}`);
    return {
      action: trackerEvent({
        kind: 'tracker_event',
        tracker,
        eventId: args.event_id,
        accountId: account.accountId,
        title: shortened(event.title, ROW_FIELD_CHARS),
        startMs: event.start.getTime(),
        timezone,
      }),
      ...trackerRequest(tracker, { event: args.event_id }),
    };
  },
});

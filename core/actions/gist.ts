import * as z from 'zod';
import type { EventFacts } from '../calendar/event.ts';
import { digestOf } from '../text/canonical-json.ts';
import { shortened } from '../text/shortened.ts';
import type { MessageTarget } from './message-target.ts';

/**
 * The gist of a request: the facts that distinguish it from others in the owner's list. It is computed once, when the
 * request is filed, so the list does not open plans. The page of a request shows everything, from the plan.
 */
export const storedGist = z.discriminatedUnion('kind', [
  /** It sends a message. */
  z.strictObject({
    kind: z.literal('message'),
    to: z.array(z.string()),
    subject: z.string(),
    /** Of a reply: the same for all replies in one conversation. */
    thread: z.string().optional(),
  }),
  /** It changes an event. The fields show the event after the change, or before it if it leaves the calendar. */
  z.strictObject({
    kind: z.literal('event'),
    title: z.string(),
    startMs: z.int(),
    endMs: z.int(),
    allDay: z.boolean(),
  }),
  /** It concerns messages: the first one, and the number of the others. */
  z.strictObject({
    kind: z.literal('targets'),
    subject: z.string(),
    from: z.string(),
    more: z.int().min(0),
    /** The folder, label or tracker that they get, if the tool does not say it. */
    into: z.string().optional(),
    /** Of all the messages, without repeats. */
    accountIds: z.array(z.int().min(1)),
  }),
  /** It creates or changes a tracker. */
  z.strictObject({
    kind: z.literal('tracker'),
    title: z.string(),
    /** Its new status, if the tool does not say it. */
    status: z.string().optional(),
  }),
]);
export type ActionGist = z.infer<typeof storedGist>;

/** The texts of gists. */
export type GistText = 'to' | 'subject' | 'title' | 'into' | 'status';

/** The longest subject or title that a caller can give. Longer ones from other people are cut. */
const TEXT_CHARS = 300;
/** Of a hash: enough to tell the conversations of one owner apart. */
const THREAD_CHARS = 16;

/**
 * @param subject from the bytes of the message
 * @param repliesTo of a reply: the References of the message
 */
export function messageGist(
  to: readonly string[],
  subject: string,
  repliesTo: readonly string[] = [],
): ActionGist {
  const [root] = repliesTo;
  return {
    kind: 'message',
    to: [...to],
    subject: shortened(subject, TEXT_CHARS),
    ...(root !== undefined && { thread: digestOf(root).slice(0, THREAD_CHARS) }),
  };
}

/** @param event from the documents of the plan */
export function eventGist({ title, start, end, allDay }: EventFacts): ActionGist {
  const [startMs, endMs] = [start.getTime(), end.getTime()];
  return { kind: 'event', title: shortened(title, TEXT_CHARS), startMs, endMs, allDay };
}

/**
 * @param targets at least one
 * @param into the folder, label or tracker that they get, if the tool does not say it
 */
export function targetsGist(targets: readonly MessageTarget[], into?: string): ActionGist {
  const [first] = targets;
  if (first === undefined) throw new Error('a request about messages names none');
  return {
    kind: 'targets',
    subject: shortened(first.subject, TEXT_CHARS),
    from: shortened(first.from, TEXT_CHARS),
    more: targets.length - 1,
    ...(into !== undefined && { into: shortened(into, TEXT_CHARS) }),
    accountIds: [...new Set(targets.map(({ account }) => account.accountId))],
  };
}

/** @param status its new status, if the tool does not say it */
export function trackerGist(title: string, status?: string): ActionGist {
  return { kind: 'tracker', title: shortened(title, TEXT_CHARS), ...(status !== undefined && { status }) };
}

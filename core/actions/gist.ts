import * as z from 'zod';
import type { EventFacts } from '../calendar/event.ts';
import { shortened } from '../text/shortened.ts';
import type { MessageTarget } from './message-target.ts';

/**
 * The gist of a request: the facts that tell it from the next one in the owner's list. It is computed once, when the
 * request is filed, so the list opens no plan. The page of the request shows everything and is read from the plan.
 */
export const storedGist = z.discriminatedUnion('kind', [
  /** It sends a message. */
  z.strictObject({ kind: z.literal('message'), to: z.array(z.string()), subject: z.string() }),
  /** It changes an event: as it will be, or as it was if it leaves the calendar. */
  z.strictObject({
    kind: z.literal('event'),
    title: z.string(),
    startMs: z.int(),
    endMs: z.int(),
    allDay: z.boolean(),
  }),
  /** It is about messages: the first of them, and how many more there are. */
  z.strictObject({
    kind: z.literal('targets'),
    subject: z.string(),
    from: z.string(),
    more: z.int().min(0),
    /** Of all the messages, each once. */
    accountIds: z.array(z.int().min(1)),
  }),
  /** It creates or changes a tracker. */
  z.strictObject({ kind: z.literal('tracker'), title: z.string() }),
]);
export type Gist = z.infer<typeof storedGist>;

/** The longest subject or title that a caller can give. Other people's may be longer, and are cut. */
const TEXT_CHARS = 300;

/** @param subject as the bytes of the message say it */
export function messageGist(to: readonly string[], subject: string): Gist {
  return { kind: 'message', to: [...to], subject: shortened(subject, TEXT_CHARS) };
}

/** @param event as the documents of the plan say it */
export function eventGist({ title, start, end, allDay }: EventFacts): Gist {
  const [startMs, endMs] = [start.getTime(), end.getTime()];
  return { kind: 'event', title: shortened(title, TEXT_CHARS), startMs, endMs, allDay };
}

/** @param targets at least one */
export function targetsGist(targets: readonly MessageTarget[]): Gist {
  const [first] = targets;
  if (first === undefined) throw new Error('a request about messages names none');
  return {
    kind: 'targets',
    subject: shortened(first.subject, TEXT_CHARS),
    from: shortened(first.from, TEXT_CHARS),
    more: targets.length - 1,
    accountIds: [...new Set(targets.map(({ account }) => account.accountId))],
  };
}

export function trackerGist(title: string): Gist {
  return { kind: 'tracker', title: shortened(title, TEXT_CHARS) };
}

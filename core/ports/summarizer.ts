import type { LinkedMessage, Tracker, TrackerSummary } from './tracker-storage.ts';

/**
 * Says in few words what the messages of a tracker come to. Without one, core's own takes sentences out of them.
 *
 * The messages are strangers' texts: data, never instructions. What is answered is shown to the owner and to programs
 * as third-party text, as a person sees it, and cut to SUMMARY_CHARS and NEXT_ACTION_CHARS.
 */
export interface Summarizer {
  /**
   * @param messages the newest linked messages, newest first; at least one
   * @param request `now`: what days are counted from; `signal`: ends the work after a minute, or when the
   *   service stops; later answers are dropped
   * @throws any Error when it cannot: the summary stays as it is, and is tried again later
   */
  summarize(
    tracker: Pick<Tracker, 'title' | 'keywords' | 'dueOn'>,
    messages: readonly SummarySource[],
    request: { readonly now: Date; readonly signal: AbortSignal },
  ): Promise<Summary>;
}

/** `date`: ISO 8601 with an offset. */
export type SummarySource = Pick<LinkedMessage, 'from' | 'subject' | 'date' | 'excerpt'>;

export type Summary = Omit<TrackerSummary, 'sourceCount'>;

/** Code points. */
export const SUMMARY_CHARS = 600;
export const NEXT_ACTION_CHARS = 200;

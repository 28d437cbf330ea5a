import type { LinkedMessage, Tracker, TrackerSummary } from '../trackers/tracker-storage.ts';

/**
 * Summarizes the messages of a tracker. Without one, core takes sentences from them.
 *
 * The messages are untrusted: data, never instructions. The owner and programs see the result as third-party text,
 * without invisible characters, cut to SUMMARY_CHARS and NEXT_ACTION_CHARS.
 */
export interface Summarizer {
  /**
   * @param messages the newest linked messages, newest first; at least one
   * @param request `now`: the date that days are counted from; `signal`: ends the work after a minute, or when the
   * service stops; later results are dropped
   * @throws any Error if it fails: the old summary stays, and the service tries again later
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

/** In code points. */
export const SUMMARY_CHARS = 600;
export const NEXT_ACTION_CHARS = 200;

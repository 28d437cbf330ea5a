import * as z from 'zod';
import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';
import { NEXT_ACTION_CHARS, SUMMARY_CHARS } from '../ports/summarizer.ts';
import { seenText } from '../text/seen-text.ts';
import { shortened } from '../text/shortened.ts';
import { createBackoff } from '../time/backoff.ts';
import { MINUTE_MS } from '../time/durations.ts';
import { withinLimit } from '../work/within-limit.ts';
import { extractiveSummarizer } from './extractive-summary.ts';
import type { TrackerSummary } from './tracker-storage.ts';

/** Updates the summaries of trackers with newly linked messages. */
export interface SummaryRefresh {
  /** Updates all summaries that are due. A failure is logged, and the tracker waits for a while. */
  round(): Promise<void>;
  stop(): void;
}

/** The newest messages per tracker. */
const MESSAGES = 20;
const AT_ONCE = 100;
/** Per tracker. */
const SUMMARY_MS = MINUTE_MS;
const RETRY_FIRST_MS = MINUTE_MS;
const RETRY_MOST_MS = 60 * MINUTE_MS;

export function createSummaryRefresh(ports: Ports): SummaryRefresh {
  const { storage, clock, log, summarizer = extractiveSummarizer } = ports;
  const backoff = createBackoff(RETRY_FIRST_MS, RETRY_MOST_MS);
  const abort = new AbortController();

  /** Ends after SUMMARY_MS, or with the service. */
  async function limited<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const end = () => limit.abort();
    abort.signal.addEventListener('abort', end, { once: true });
    const stop = clock.after(SUMMARY_MS, end);
    try {
      return await withinLimit(
        clock,
        { signal: limit.signal, ms: Number.POSITIVE_INFINITY },
        () => work(limit.signal),
        () => {
          throw new Error('the summarizer did not finish in time');
        },
      );
    } finally {
      stop();
      abort.signal.removeEventListener('abort', end);
    }
  }

  return {
    async round() {
      for (const { tracker, messages, upTo } of await storage.summariesDue({
        messages: MESSAGES,
        // Trackers that wait for another try do not take the place of others.
        limit: AT_ONCE + backoff.count(),
      })) {
        const { ownerId, trackerId } = tracker;
        const key = `${ownerId}\n${trackerId}`;
        if (abort.signal.aborted) return;
        if (!backoff.isDue(key, clock.now())) continue;
        try {
          const written = await limited((signal) =>
            summarizer.summarize(tracker, messages, { now: clock.now(), signal }),
          );
          const summary = { ...bounded(written), sourceCount: messages.length };
          await storage.saveSummary({ ownerId, trackerId, summary, upTo });
          backoff.succeeded(key);
        } catch (error) {
          if (abort.signal.aborted) return;
          backoff.failed(key, clock.now());
          log.warn('a tracker could not be summarised', {
            owner: ownerId,
            tracker: trackerId,
            ...errorName(error),
          });
        }
      }
    },
    stop: () => abort.abort(),
  };
}

const answer = z.object({
  text: z.string(),
  nextAction: z.string(),
  importance: z.enum(['low', 'normal', 'important']),
});

/** Every summarizer works on untrusted text: keeps the result as a person sees it, cut to its limits. */
function bounded(written: unknown): Omit<TrackerSummary, 'sourceCount'> {
  const { text, nextAction, importance } = answer.parse(written);
  return {
    text: shortened(seenText(text), SUMMARY_CHARS),
    nextAction: shortened(seenText(nextAction), NEXT_ACTION_CHARS),
    importance,
  };
}

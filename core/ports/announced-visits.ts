import type { MailError } from './mail.ts';
import type { WatchEnd } from './mail-watching.ts';

/** What an adapter reports to one of its watches. */
export interface Watch {
  /** Messages may have been added to the inbox. */
  announce(): void;
  /** Ends the watch, after the visit in progress. Only the first call counts. */
  end(how: WatchEnd | MailError): void;
}

/**
 * Visits an inbox at once and after each announcement, one visit at a time, until the watch ends. This is
 * `watchInbox` of any adapter, except for how its server announces.
 * @param signal  of the call
 * @param report  starts to report to the watch; returns a function that stops it
 * @throws MailError the one that ended the watch; whatever `visit` throws while the watch goes on
 */
export async function announcedVisits(
  signal: AbortSignal,
  visit: () => Promise<void>,
  report: (watch: Watch) => () => void,
): Promise<WatchEnd> {
  let isAnnounced = true;
  let ended: WatchEnd | MailError | undefined;
  let wake = () => {};
  const watch: Watch = {
    announce() {
      isAnnounced = true;
      wake();
    },
    end(how) {
      ended ??= how;
      wake();
    },
  };
  const abort = () => watch.end('aborted');
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const stop = report(watch);
  try {
    for (;;) {
      if (typeof ended === 'string') return ended;
      if (ended !== undefined) throw ended;
      if (isAnnounced) {
        isAnnounced = false;
        await visit().catch((error: unknown) => {
          // A visit to an inbox that was closed fails; what closed it is the reason.
          if (ended === undefined) throw error;
        });
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    stop();
    signal.removeEventListener('abort', abort);
  }
}

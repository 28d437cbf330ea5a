import type { ServerRole, ServerState } from '../ports/account-health.ts';
import { errorName } from '../ports/log.ts';
import type { MailAccount } from '../ports/mail.ts';
import type { Ports } from '../ports/ports.ts';
import { MINUTE_MS } from '../time/durations.ts';
import { accountCache } from './account-cache.ts';

/** Records how the servers of accounts are doing. */
export interface HealthReports {
  /** @param reason  null if it works. An account that is not saved has no health. */
  report(account: MailAccount, server: ServerRole, state: ServerState, reason: string | null): void;
  /** Resolves when everything is recorded that was reported so far. */
  settled(): Promise<void>;
}

/** How long a state that stays the same is not written again. */
const KEPT_MS = 5 * MINUTE_MS;
/** For some 15,000 servers. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** Of a `Written`. */
const WRITTEN_BYTES = 50;

interface Written {
  readonly revision: number;
  readonly state: ServerState;
  readonly atMs: number;
}

export function healthReports({
  storage,
  clock,
  log,
}: Pick<Ports, 'storage' | 'clock' | 'log'>): HealthReports {
  /** What this process wrote last, by the server. */
  const written = accountCache<Written | undefined>(KEPT_BYTES, () => WRITTEN_BYTES);
  const writing = new Set<Promise<void>>();

  return {
    report(account, server, state, reason) {
      const { ownerId, accountId, revision } = account;
      if (revision === undefined) return;
      const now = clock.now();
      const known = written.get(account, server);
      if (
        known?.revision === revision &&
        known.state === state &&
        Math.abs(now.getTime() - known.atMs) < KEPT_MS
      ) {
        return;
      }
      written.set(account, server, { revision, state, atMs: now.getTime() });
      const work = storage
        .reportServer({ ownerId, accountId, revision, server, state, reason, now })
        .catch((error: unknown) => {
          // Written again at the next use.
          written.set(account, server, undefined);
          log.warn('the health of an account was not stored', { account: accountId, ...errorName(error) });
        })
        .finally(() => writing.delete(work));
      writing.add(work);
    },
    async settled() {
      await Promise.all(writing);
    },
  };
}

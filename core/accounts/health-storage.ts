import {
  needsOwner,
  SERVER_ROLES,
  type ServerHealth,
  type ServerRole,
  type ServerState,
} from '../ports/account-health.ts';
import { put, update } from '../state/change.ts';
import { all } from '../state/query.ts';
import { type Commit, type StateStore, unchanged, type Verdict } from '../state/store.ts';
import type { RowOf } from '../state/table.ts';
import { accountStatements, accounts, checksOfOwner } from './account-state.ts';
import { accountHealth, healthOfOwner } from './health-state.ts';

interface Report {
  ownerId: string;
  accountId: number;
  /** Of the settings that were used. */
  revision: number;
  server: ServerRole;
  state: ServerState;
  /** Null if it works. */
  reason: string | null;
  now: Date;
}

interface Check {
  ownerId: string;
  accountId: number;
  idleMs: number;
  jitterMs: number;
  now: Date;
}

/** How the servers of an account are doing. */
export type AccountHealthStorage = ReturnType<typeof accountHealthStorage>;

export function accountHealthStorage({ unit, look }: StateStore) {
  return {
    /** Every part of the owner's accounts that was used since it was connected. */
    async accountHealth(ownerId: string): Promise<readonly ServerHealth[]> {
      return (await look({ found: all(healthOfOwner, { ownerId }) })).found.map(serverHealth);
    },

    /**
     * Records the result of the newest use of a part. Changes nothing if the account was removed, or if its settings have
     * changed since.
     */
    reportServer: (report: Report): Promise<void> =>
      onAccount('relaxed', report, (facts) => reported(facts, report)),

    /** Accounts whose servers are due for a check, the one that has waited longest first. `takeCheck` decides. */
    async accountsToCheck(request: {
      now: Date;
      limit: number;
    }): Promise<readonly { readonly ownerId: string; readonly accountId: number }[]> {
      return (await look({ found: all(accountStatements.accounts_to_check, request) })).found;
    },

    /**
     * Claims a check of the servers of an account that nobody has used, and plans the next one. One process gets it. The first
     * check of an account only plans the next one.
     * @param request  `idleMs`: a part that was used within this time is left alone, and so is the whole account after a
     *   check. `jitterMs` is added to the time of the next check
     * @returns the parts to sign in to, none if the owner has to mend one first; undefined: it is not due, or was removed
     */
    takeCheck: (request: Check): Promise<readonly ServerRole[] | undefined> =>
      onAccount('durable', request, (facts) => taken(facts, request)),
  };

  function onAccount<Answer>(
    commit: Commit,
    { ownerId, accountId }: { ownerId: string; accountId: number },
    judge: (facts: Facts | undefined) => Verdict<Answer>,
  ): Promise<Answer> {
    const facts = { checks: all(checksOfOwner, { ownerId }), servers: all(healthOfOwner, { ownerId }) };
    return unit(commit, { ownerId }, facts, ({ checks, servers }) => {
      const account = checks.find((one) => one.accountId === accountId);
      return judge(
        account && {
          revision: account.settingsRevision,
          nextCheckAt: account.nextCheck,
          servers: servers.filter((one) => one.accountId === accountId).map(serverHealth),
        },
      );
    });
  }
}

/** Undefined: there is no such account. */
interface Facts {
  readonly revision: number;
  readonly nextCheckAt: Date;
  readonly servers: readonly ServerHealth[];
}

function serverHealth(row: RowOf<typeof accountHealth>): ServerHealth {
  const { accountId, leg: server, state, reason, since, worked: workedAt } = row;
  return { accountId, server, state, reason, since, workedAt };
}

function reported(facts: Facts | undefined, report: Report): Verdict<void> {
  const { ownerId, accountId, revision, server, state, reason, now } = report;
  if (facts === undefined || facts.revision !== revision) return unchanged(undefined);
  const before = facts.servers.find((one) => one.server === server);
  const isSame = before?.state === state;
  const since = isSame ? before.since : now;
  const isForOwner = needsOwner(state);
  const worked = state === 'working' ? now : (before?.workedAt ?? null);
  const columns = { state, needsOwner: isForOwner, reason, since, worked };
  const key = { ownerId, accountId, leg: server };
  const change = isSame
    ? update(accountHealth, key, columns)
    : // No notice covers a new state.
      put(accountHealth, { ...key, ...columns, isCovered: !isForOwner });
  return { answer: undefined, changes: [change] };
}

function taken(
  facts: Facts | undefined,
  { ownerId, accountId, idleMs, jitterMs, now }: Check,
): Verdict<readonly ServerRole[] | undefined> {
  if (facts === undefined || facts.nextCheckAt > now) return unchanged(undefined);
  const nowMs = now.getTime();
  const isFirst = facts.nextCheckAt.getTime() === 0;
  const servers = isFirst ? [] : idleServers(facts.servers, nowMs - idleMs);
  // If all are in use, one is idle as soon as its last use is that old.
  const used =
    servers.length > 0 ? [] : facts.servers.map(({ workedAt }) => (workedAt?.getTime() ?? 0) + idleMs);
  const nextMs = used.reduce((next, ms) => (ms > nowMs ? Math.min(next, ms) : next), nowMs + idleMs);
  const nextCheck = new Date(nextMs + jitterMs);
  return { answer: servers, changes: [update(accounts, { ownerId, accountId }, { nextCheck })] };
}

/** A password that was refused is not tried again: a provider may lock the account. */
function idleServers(servers: readonly ServerHealth[], idleSinceMs: number): readonly ServerRole[] {
  if (servers.some(({ state }) => needsOwner(state))) return [];
  return SERVER_ROLES.filter((server) => {
    const known = servers.find((one) => one.server === server);
    // Not every account has a calendar.
    if (known === undefined) return server !== 'calendar';
    return known.state !== 'working' || (known.workedAt?.getTime() ?? 0) <= idleSinceMs;
  });
}

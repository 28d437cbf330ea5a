import { needsOwner, SERVER_ROLES, type ServerHealth, type ServerRole } from '../ports/account-health.ts';
import type { Storage } from '../ports/storage.ts';
import type { FactsOf, Judged } from '../ports/store.ts';

/** Records the result of a use of a server, unless it was a use of older settings. */
export function reportServer(
  facts: FactsOf<'health'>,
  { ownerId, accountId, revision, server, state, reason, now }: Parameters<Storage['reportServer']>[0],
): Judged<undefined> {
  if (facts === undefined || facts.revision !== revision) return { answer: undefined, changes: [] };
  const before = facts.servers.find((one) => one.server === server);
  const isSame = before?.state === state;
  const after: ServerHealth = {
    accountId,
    server,
    state,
    reason,
    since: isSame ? before.since : now,
    workedAt: state === 'working' ? now : (before?.workedAt ?? null),
  };
  return { answer: undefined, changes: [{ type: 'save_server', ownerId, server: after, isNew: !isSame }] };
}

/**
 * Claims a check of the servers of an account that nobody has used. The first check of an account only plans the next
 * one.
 */
export function takeCheck(
  facts: FactsOf<'health'>,
  { ownerId, accountId, idleMs, jitterMs, now }: Parameters<Storage['takeCheck']>[0],
): Judged<readonly ServerRole[] | undefined> {
  if (facts === undefined || facts.nextCheckAt > now) return { answer: undefined, changes: [] };
  const nowMs = now.getTime();
  const isFirst = facts.nextCheckAt.getTime() === 0;
  const servers = isFirst ? [] : idleServers(facts.servers, nowMs - idleMs);
  // If all are in use, one is idle as soon as its last use is that old.
  const used =
    servers.length > 0 ? [] : facts.servers.map(({ workedAt }) => (workedAt?.getTime() ?? 0) + idleMs);
  const nextMs = used.reduce((next, ms) => (ms > nowMs ? Math.min(next, ms) : next), nowMs + idleMs);
  const at = new Date(nextMs + jitterMs);
  return { answer: servers, changes: [{ type: 'plan_check', ownerId, accountId, at }] };
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

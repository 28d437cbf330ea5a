import type { Store } from '../../core/ports/store.ts';
import { readAccounts } from './account.ts';
import { readServerHealth } from './account-health.ts';
import { readApproval, readOpenApprovals } from './approval.ts';
import { readCredential, readSecret } from './credential.ts';
import { ask } from './facts.ts';
import type { Load, Query } from './query.ts';
import { flag, instantOrNull, integer, type Row, text, textOrNull } from './row.ts';
import { readLink, readMessage, readTracker } from './tracker.ts';
import { readInboxToWatch, readWaitingTracker } from './watching.ts';
import { readDeliveryRecord, readEndpoint } from './webhook.ts';

type Lookups = Omit<
  Store,
  'unit' | 'ownerUnit' | 'countersUnit' | 'execute' | 'otherWork' | 'look' | 'apply' | 'erase' | 'close'
>;

/** The plain look-ups. @param answered  runs the queries at one moment, and reads their rows */
export function sqlLookups(answered: <Answer>(load: Load<Answer>) => Promise<Answer>): Lookups {
  const rows = <Answer>(query: Query, read: (rows: readonly Row[]) => Answer): Promise<Answer> =>
    answered({ queries: [query], read: (found) => read(found) });
  const list = <Item>(query: Query, read: (row: Row) => Item): Promise<readonly Item[]> =>
    rows(query, (found) => found.map(read));
  const first = <Item>(query: Query, read: (row: Row) => Item): Promise<Item | undefined> =>
    rows(query, ([row]) => row && read(row));
  const set = (query: Query, column: string): Promise<ReadonlySet<string>> =>
    rows(query, (found) => new Set(found.map((row) => text(row, column))));

  return {
    healthy: () => rows(ask('any_owner', {}), () => undefined),

    approval: (ownerId, approvalId) => first(ask('approval', { ownerId, approvalId }), readApproval),
    approvals: ({ ownerId, credentialId, state, after, limit }) => {
      const { createdAtMs, id } = after ?? { createdAtMs: Number.MAX_SAFE_INTEGER, id: '' };
      const pages =
        credentialId === undefined
          ? ({ all: 'approvals_of_owner', open: 'open_of_owner', ended: 'ended_of_owner' } as const)
          : ({
              all: 'approvals_of_credential',
              open: 'open_of_credential',
              ended: 'ended_of_credential',
            } as const);
      // One row beyond the limit shows whether there are more.
      const values = { ownerId, credentialId: credentialId ?? '', createdAtMs, id, limit: limit + 1 };
      return rows(ask(pages[state], values), (found) => ({
        approvals: found.slice(0, limit).map(readApproval),
        more: found.length > limit,
      }));
    },
    openApprovals: (owners) =>
      answered({
        queries: [ask('open_states', { owners }), ask('clock', {})],
        read: (found, [clock]) => ({
          byOwner: readOpenApprovals(found),
          storeNowMs: integer(clock ?? {}, 'now_ms'),
        }),
      }),
    plan: (ownerId, approvalId) =>
      first(ask('plan', { ownerId, approvalId }), (row) => text(row, 'sealed_plan')),
    askedPlan: async (ownerId, approvalId) =>
      (await first(ask('asked_plan', { ownerId, approvalId }), (row) => textOrNull(row, 'sealed_asked'))) ??
      undefined,
    gists: (ownerId, approvalIds) =>
      rows(
        ask('gists', { ownerId, approvalIds }),
        (found) => new Map(found.map((row) => [text(row, 'approval_id'), textOrNull(row, 'sealed_gist')])),
      ),

    isRepeat: async ({ ownerId, requestHash, executedSince, unfinishedSince }) => {
      const query = ask('same_of_owner', {
        ownerId,
        // Of every credential.
        credentialId: '',
        requestHash,
        similarHash: requestHash,
        rejectedSinceMs: Number.MAX_SAFE_INTEGER,
        executedSinceMs: executedSince.getTime(),
        unfinishedSinceMs: unfinishedSince.getTime(),
      });
      const found = await first(query, (row) => flag(row, 'executed') || flag(row, 'unfinished_elsewhere'));
      return found === true;
    },

    knownRecipients: (ownerId, accountId, addresses) =>
      rows(
        ask('known_recipients', { ownerId, accountId, addresses }),
        (found) => new Map(found.map((row) => [text(row, 'address'), integer(row, 'times')])),
      ),
    knownDomains: (ownerId, accountId, usedKeys) =>
      rows(
        ask('known_domains', { ownerId, accountId, domainKeys: usedKeys }),
        (found) => new Map(found.map((row) => [text(row, 'name'), integer(row, 'times')])),
      ),
    relocatedAmong: (ownerId, marks) => set(ask('relocated', { ownerId, marks }), 'mark'),

    credentials: (ownerId) =>
      answered({
        queries: [ask('credentials', { ownerId }), ask('secrets_of_owner', { ownerId }), ask('clock', {})],
        read: (found, secrets, [clock]) => ({
          credentials: found.map(readCredential),
          secrets: secrets.map(readSecret),
          storeNowMs: integer(clock ?? {}, 'now_ms'),
        }),
      }),
    credentialOfSecret: (secretHash) =>
      first(ask('secret', { secretHash }), (row) => ({
        ownerId: text(row, 'owner_id'),
        credentialId: text(row, 'credential_id'),
      })),

    credentialUse: (ownerId) =>
      rows(
        ask('credential_use', { ownerId }),
        (found) =>
          new Map(
            found.map((row) => [
              text(row, 'credential_id'),
              { lastCallAt: instantOrNull(row, 'last_call_ms'), waiting: integer(row, 'waiting') },
            ]),
          ),
      ),

    accounts: (ownerId) => rows(ask('accounts', { ownerId }), readAccounts),
    accountHealth: (ownerId) => list(ask('account_health', { ownerId }), readServerHealth),
    accountsToCheck: ({ now, limit }) =>
      list(ask('accounts_to_check', { nowMs: now.getTime(), limit }), (row) => ({
        ownerId: text(row, 'owner_id'),
        accountId: integer(row, 'account_id'),
      })),
    inboxesToWatch: (all) => list(ask('inboxes_to_watch', { all }), readInboxToWatch),

    trackers: ({ ownerId, state, before = Number.MAX_SAFE_INTEGER, limit }) => {
      const values = { ownerId, isResolved: state === 'resolved', before, limit: limit + 1 };
      return answered({
        queries: [ask('trackers', values), ask('count_trackers', values)],
        read: (found, [count]) => ({
          trackers: found.slice(0, limit).map(readTracker),
          total: integer(count ?? {}, 'total'),
          more: found.length > limit,
        }),
      });
    },
    tracker: ({ ownerId, trackerId, upTo = Number.MAX_SAFE_INTEGER, limit }) => {
      const values = { ownerId, trackerId, upTo, limit: limit + 1 };
      return answered({
        queries: [
          ask('trackers_by_id', { ownerId, trackerIds: [trackerId] }),
          ask('links', values),
          ask('count_links', values),
        ],
        read: ([tracker], links, [count]) =>
          tracker && {
            tracker: readTracker(tracker),
            links: links.slice(0, limit).map(readLink),
            total: integer(count ?? {}, 'total'),
            more: links.length > limit,
          },
      });
    },
    endpoints: (ownerId) => list(ask('endpoints', { ownerId }), readEndpoint),
    ownersWithDeliveries: (query) =>
      list(ask('owners_with_deliveries', query), (row) => text(row, 'owner_id')),
    deliveries: ({ ownerId, endpointId, before = Number.MAX_SAFE_INTEGER, limit }) =>
      rows(ask('deliveries', { ownerId, endpointId, before, limit: limit + 1 }), (found) => ({
        deliveries: found.slice(0, limit).map(readDeliveryRecord),
        more: found.length > limit,
      })),
    waitingTrackers: (ownerId) => list(ask('waiting_trackers', { ownerId }), readWaitingTracker),
    summariesDue: (query) =>
      answered({
        queries: [ask('trackers_to_summarise', query), ask('messages_to_summarise', query)],
        read: (due, messages) =>
          due.map((row) => {
            const tracker = readTracker(row);
            const isOf = (link: Row) =>
              text(link, 'owner_id') === tracker.ownerId && integer(link, 'tracker_id') === tracker.trackerId;
            return {
              tracker,
              messages: messages.filter(isOf).map(readMessage),
              upTo: integer(row, 'last_message_link_id'),
            };
          }),
      }),
  };
}

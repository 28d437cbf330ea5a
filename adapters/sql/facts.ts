import type { CallerFacts, FactKind, FactsOf, NeedOf, TrackersFacts } from '../../core/ports/store.ts';
import type { Values } from '../../core/state/change.ts';
import { readAccounts } from './account.ts';
import { readServerHealth } from './account-health.ts';
import { readApproval } from './approval.ts';
import { readClaim } from './claim.ts';
import { readCredential, readSecret, readStanding } from './credential.ts';
import { readPendingGrant } from './grant.ts';
import { readOwner } from './owner.ts';
import type { Load, Query, Statement } from './query.ts';
import { flag, instant, instantOrNull, integer, integerOrNull, type Row, text, textOrNull } from './row.ts';
import { readLink, readStoredTracker, readTracker } from './tracker.ts';
import { readUsage } from './usage.ts';
import { readInboxLease, readInboxReader, readPosition, readWaitingTracker } from './watching.ts';
import { readDelivery, readDueDelivery, readEndpointsFacts, readEvent } from './webhook.ts';

/** How each kind of fact is read from SQL. The store has locked what the need names. */
export function factsOf<Kind extends FactKind>(need: NeedOf<Kind>): Load<FactsOf<Kind>> {
  return FACTS[need.kind](need);
}

type Rows = readonly Row[];

const FACTS: { readonly [Kind in FactKind]: (need: NeedOf<Kind>) => Load<FactsOf<Kind>> } = {
  caller: (need) => ('secretHash' in need ? callerOfSecret(need) : callerById(need)),

  claim: ({ ownerId, credentialId, key }) => ({
    queries: [
      ask('claim', { ownerId, credentialId, key }),
      ask('approval_of_claim', { ownerId, credentialId, key }),
      ask('owner', { ownerId }),
    ],
    read: ([claim], [approval], [owner]) => ({
      hasOwner: owner !== undefined,
      claim: claim && readClaim(claim),
      approval: approval && readApproval(approval),
    }),
  }),

  held: ({ ownerId, slotId = '', claim, approval, followUp = '' }) => {
    const { credentialId, key } = claim ?? { credentialId: '', key: '' };
    return {
      queries: [
        ask('slot', { ownerId, slotId }),
        ask('claim', { ownerId, credentialId, key }),
        ask('approval', { ownerId, approvalId: approval?.id ?? followUp }),
        ask('follow_up', { ownerId, approvalId: followUp }),
      ],
      read: ([slot], [found], [run], [due]) => ({
        slot: slot && {
          credentialId: text(slot, 'credential_id'),
          leaseUntilMs: integer(slot, 'time_ms'),
        },
        claim: found && readClaim(found),
        approval: run && readApproval(run),
        hasFollowUp: due !== undefined,
      }),
    };
  },

  filing: ({ kind: _kind, key, ...need }) => {
    const values = { ...need, key: key ?? '' };
    return {
      queries: [
        ask('claim', values),
        ask('standing', values),
        ask('same_pending', values),
        ask('same_unfinished', values),
        ask('target_pending', values),
        ask('same_of_owner', values),
        ask('direct_sends', values),
        ask('filed', values),
        ask('waiting', values),
      ],
      read([claim], [standing], [pending], [unfinished], [target], [others], [sends], [filed], [waiting]) {
        const ofOwner = counted(others);
        return {
          claim: claim && readClaim(claim),
          standing: standing && readStanding(standing),
          samePending: pending && readApproval(pending),
          sameUnfinished: unfinished && readApproval(unfinished),
          targetPending: target && readApproval(target),
          rejectedAt: instantOrNull(ofOwner, 'rejected_at_ms') ?? undefined,
          isExecuted: flag(ofOwner, 'executed'),
          isUnfinishedElsewhere: flag(ofOwner, 'unfinished_elsewhere'),
          daySends: integer(counted(sends), 'day'),
          shortSends: integer(counted(sends), 'short'),
          filed: integer(counted(filed), 'filed'),
          waitingOfKey: integer(counted(waiting), 'of_key'),
          waitingOfOwner: integer(counted(waiting), 'of_owner'),
        };
      },
    };
  },

  approval: ({ ownerId, approvalId, withPlan }) => {
    const values = { ownerId, approvalId };
    return {
      queries: [
        ask('approval', values),
        ask('standing_of_approval', values),
        ...(withPlan ? [ask('plan', values)] : []),
      ],
      read: ([approval], [standing], plans) =>
        approval && {
          approval: readApproval(approval),
          standing: readStanding(counted(standing)),
          sealedPlan: readPlanText(plans?.[0]),
        },
    };
  },

  due: ({ running, limit }) => {
    const values = { running: [...running], limit };
    return {
      queries: [ask('lapsed', values), ask('due_follow_ups', values)],
      read: (lapsed, followUps) => ({
        lapsed: lapsed.map(readReclaimed),
        followUps: followUps.map(readReclaimed),
      }),
    };
  },

  overdue: ({ now }) => ({
    queries: [ask('overdue', { nowMs: now.getTime() })],
    read: (rows) => rows.map(readApproval),
  }),

  credential: ({ ownerId, credentialId }) => ({
    queries: [
      ask('credential', { ownerId, credentialId }),
      ask('secrets', { ownerId, credentialId }),
      ask('pending', { ownerId }),
      ask('unstarted', { ownerId, credentialId }),
    ],
    read: ([credential], secrets, pending, unstarted) =>
      credential && {
        credential: readCredential(credential),
        secrets: secrets.map(readSecret),
        pending: pending.map(readApproval),
        unstarted: unstarted.map(readApproval),
      },
  }),

  accounts: ({ ownerId }) => ({
    queries: [
      ask('owner', { ownerId }),
      ask('accounts', { ownerId }),
      ask('pending', { ownerId }),
      ask('pending_targets', { ownerId }),
    ],
    read([owner], accounts, pending, targets) {
      if (owner === undefined) return undefined;
      const targetsOf = (id: string) =>
        targets.filter((row) => text(row, 'approval_id') === id).map((row) => text(row, 'target'));
      return {
        activeAccountId: integerOrNull(owner, 'active_account_id'),
        lastAccountId: integer(owner, 'last_account_id'),
        accounts: readAccounts(accounts),
        pending: pending.map(readApproval).map((approval) => ({ approval, targets: targetsOf(approval.id) })),
      };
    },
  }),

  health: ({ ownerId, accountId }) => ({
    queries: [ask('accounts', { ownerId }), ask('account_health', { ownerId })],
    read: (accounts, servers) => {
      const account = accounts.find((row) => integer(row, 'account_id') === accountId);
      return (
        account && {
          revision: integer(account, 'settings_revision'),
          nextCheckAt: instant(account, 'next_check_ms'),
          servers: servers.map(readServerHealth).filter((one) => one.accountId === accountId),
        }
      );
    },
  }),

  pendingGrants: ({ ownerId }) => ({
    queries: [ask('owner', { ownerId }), ask('pending_grants', { ownerId })],
    read: ([owner], pending) => owner && pending.map(readPendingGrant),
  }),

  newTracker: ({ ownerId, requestId }) => ({
    queries: [ask('tracker_of_request', { ownerId, requestId }), ask('last_tracker', { ownerId })],
    read: ([existing], [last]) => ({
      existing: existing && readTracker(existing),
      lastTrackerId: integer(counted(last), 'last_id'),
    }),
  }),

  trackers: (need) => ({ queries: trackerQueries(need), read: readTrackers }),

  trackerLink: ({ ownerId, trackerId, linkId }) => ({
    queries: [
      ask('trackers_by_id', { ownerId, trackerIds: [trackerId] }),
      ask('links', { ownerId, trackerId, upTo: linkId, limit: 1 }),
      ask('other_message_link', { ownerId, trackerId, linkId }),
    ],
    read: ([tracker], [row], [other]) => {
      const link = row && readLink(row);
      return {
        stored: tracker && readStoredTracker(tracker),
        link: link?.linkId === linkId ? link : undefined,
        otherMessageLinkId: integer(counted(other), 'last_id'),
      };
    },
  }),

  inbox: (need) => {
    const { ownerId, accountId, reader, identities } = need;
    return {
      queries: [
        ...trackerQueries(need),
        ask('inbox_reader', { ownerId, accountId, reader }),
        ask('moved_into_inbox', { ownerId, accountId, identities }),
      ],
      read: (trackers, links, last, [row], movedIn) => ({
        ...readTrackers(trackers, links, last),
        fence: row && integer(row, 'fence'),
        position: (row && readPosition(row)) ?? undefined,
        movedIn: movedIn.map((one) => text(one, 'identity')),
      }),
    };
  },

  watching: ({ ownerId }) => ({
    queries: [
      ...endpointQueries({ ownerId, credentialId: null }),
      ask('accounts', { ownerId }),
      ask('waiting_trackers', { ownerId }),
      ask('inbox_leases', { ownerId }),
      ask('inbox_readers', { ownerId }),
    ],
    read: ([owner], endpoints, credentials, accounts, trackers, leases, readers) =>
      owner && {
        ...readEndpointsFacts(owner, endpoints, credentials),
        accounts: readAccounts(accounts),
        trackers: trackers.map(readWaitingTracker),
        leases: leases.map(readInboxLease),
        readers: readers.map(readInboxReader),
      },
  }),

  endpoints: (need) => ({
    queries: endpointQueries(need),
    read: ([owner], endpoints, credentials) => owner && readEndpointsFacts(owner, endpoints, credentials),
  }),

  delivery: ({ ownerId, ...ref }) => ({
    queries: [...endpointQueries({ ownerId, credentialId: null }), deliveriesQuery(ownerId, [ref])],
    read: ([owner], endpoints, credentials, [delivery]) =>
      owner && {
        ...readEndpointsFacts(owner, endpoints, credentials),
        delivery: delivery && readDelivery(delivery),
      },
  }),

  webhooks: ({ ownerId, refs, limit, perEndpoint }) => ({
    queries: [
      ...endpointQueries({ ownerId, credentialId: null }),
      ask('accounts', { ownerId }),
      deliveriesQuery(ownerId, refs),
      ask('events_behind', { ownerId, limit }),
      ask('due_deliveries', { ownerId, limit: perEndpoint }),
    ],
    read: ([owner], endpoints, credentials, accounts, deliveries, news, due) =>
      owner && {
        ...readEndpointsFacts(owner, endpoints, credentials),
        accountIds: accounts.map((row) => integer(row, 'account_id')),
        deliveries: deliveries.map(readDelivery),
        news: news.map(readEvent),
        due: due.map(readDueDelivery),
      },
  }),
};

function callerOfSecret({ secretHash }: { secretHash: string }): Load<CallerFacts | undefined> {
  return {
    queries: [
      ask('caller', { secretHash }),
      ask('usage_of_secret', { secretHash }),
      ask('accounts_of_secret', { secretHash }),
    ],
    read([row], usage, accounts) {
      if (row === undefined) return undefined;
      return {
        owner: readOwner(row),
        credential: readCredential(row),
        secret: {
          ownerId: text(row, 'owner_id'),
          credentialId: text(row, 'credential_id'),
          secretHash,
          expiresAt: instant(row, 'secret_expires_at_ms'),
          sealedTokens: textOrNull(row, 'sealed_tokens'),
          signature: text(row, 'secret_signature'),
        },
        accounts: readAccounts(accounts),
        usage: readUsage(usage),
      };
    },
  };
}

function callerById(id: { ownerId: string; credentialId: string }): Load<CallerFacts | undefined> {
  const { ownerId, credentialId } = id;
  return {
    queries: [
      ask('owner', { ownerId }),
      ask('credential', { ownerId, credentialId }),
      ask('usage_of_credential', { ownerId, credentialId }),
      ask('accounts', { ownerId }),
    ],
    read: ([owner], [credential], usage, accounts) =>
      owner &&
      credential && {
        owner: readOwner(owner),
        credential: readCredential(credential),
        secret: null,
        accounts: readAccounts(accounts),
        usage: readUsage(usage),
      },
  };
}

export function ask(statement: Statement, values: Values): Query {
  return { statement, values };
}

function endpointQueries({ ownerId, credentialId }: FactsNeed<'endpoints'>): readonly Query[] {
  return [
    ask('owner', { ownerId }),
    ask('endpoints', { ownerId }),
    ask('keys_of_endpoints', { ownerId, credentialId: credentialId ?? '' }),
  ];
}

function deliveriesQuery(ownerId: string, refs: FactsNeed<'webhooks'>['refs']): Query {
  const names = refs.map(({ endpointId, sequence }) => [endpointId, sequence]);
  return ask('deliveries_by_event', { ownerId, names: JSON.stringify(names) });
}

function trackerQueries({ ownerId, trackerIds, targets }: FactsNeed<'trackers'>): readonly Query[] {
  return [
    ask('trackers_by_id', { ownerId, trackerIds }),
    ask('links_by_target', { ownerId, trackerIds, targets }),
    ask('last_link', { ownerId }),
  ];
}

type FactsNeed<Kind extends FactKind> = Omit<NeedOf<Kind>, 'kind'>;

function readTrackers(trackers: Rows, links: Rows, [last]: Rows): TrackersFacts {
  return {
    trackers: trackers.map(readStoredTracker),
    links: links.map((row) => ({
      trackerId: integer(row, 'tracker_id'),
      target: text(row, 'target'),
      link: readLink(row),
    })),
    lastLinkId: integer(counted(last), 'last_id'),
  };
}

function readReclaimed(row: Row) {
  return { approval: readApproval(row), sealedPlan: readPlanText(row) };
}

function readPlanText(row: Row | undefined): string | null {
  return row === undefined ? null : textOrNull(row, 'sealed_plan');
}

/** Returns the row of a statement that always returns one. */
function counted(row: Row | undefined): Row {
  if (row === undefined) throw new Error('A statement that always returns a row returned none.');
  return row;
}

import {
  accountHealth,
  accounts,
  knownDomainKeys,
  knownDomains,
  knownRecipients,
  pendingGrants,
  relocatedMessages,
} from '../accounts/account-tables.ts';
import { activity, checkpoints } from '../activity/activity-state.ts';
import { approvals, followUps, plans, waitingTargets } from '../approvals/approval-tables.ts';
import { eventNumbers } from '../calendar/event-number-storage.ts';
import { eventStreams, events } from '../events/event-state.ts';
import { deliveries, endpoints } from '../events/webhook-tables.ts';
import { claims, credentials, secrets, usage } from '../keys/key-tables.ts';
import { noticeChannels, noticeSettings } from '../notices/notice-state.ts';
import { owners, removedOwners, setupLink } from '../owners/owner-state.ts';
import { devices, passwordTries } from '../owners/password-state.ts';
import { sessionProofs, sessions } from '../owners/session-state.ts';
import { reads } from '../provenance/read-state.ts';
import type { Table } from '../state/table.ts';
import { trackerLinks, trackers } from '../trackers/tracker-tables.ts';
import { inboxLeases, inboxReaders, movedIntoInbox } from '../watching/inbox-tables.ts';

/**
 * Every table, each behind its parent. Every row has `owner_id` first in its key, and every query filters by it, so that
 * the schema shards by owner. The exceptions are the directories of `owners`, `secrets` and `sessions`, which are asked before
 * the owner is known, the indexes of work that is due, and the tables without owners.
 */
export const TABLES: readonly Table[] = [
  owners,
  removedOwners,
  setupLink,
  passwordTries,
  sessions,
  sessionProofs,
  devices,
  credentials,
  secrets,
  usage,
  claims,
  approvals,
  plans,
  waitingTargets,
  followUps,
  accounts,
  accountHealth,
  pendingGrants,
  knownRecipients,
  knownDomains,
  knownDomainKeys,
  relocatedMessages,
  reads,
  events,
  eventStreams,
  endpoints,
  deliveries,
  inboxLeases,
  inboxReaders,
  movedIntoInbox,
  trackers,
  trackerLinks,
  eventNumbers,
  noticeChannels,
  noticeSettings,
  activity,
  checkpoints,
];

/** Those with rows of owners, each before its parent. */
export const TABLES_OF_OWNERS: readonly Table[] = TABLES.filter(
  ({ columns }) => 'ownerId' in columns,
).toReversed();

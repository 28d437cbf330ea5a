import { accounts } from '../accounts/account-state.ts';
import { pendingGrants } from '../accounts/grant-state.ts';
import { accountHealth } from '../accounts/health-state.ts';
import {
  knownDomainKeys,
  knownDomains,
  knownRecipients,
  relocatedMessages,
} from '../accounts/known-state.ts';
import { messageHandles } from '../accounts/message-handle-storage.ts';
import { activity, checkpoints } from '../activity/activity-state.ts';
import { approvals, followUps, plans, waitingTargets } from '../approvals/approval-state.ts';
import { eventNumbers } from '../calendar/event-number-storage.ts';
import { eventStreams, events } from '../events/event-state.ts';
import { deliveries, endpoints } from '../events/webhook-state.ts';
import { claims, usage } from '../keys/call-state.ts';
import { credentials, secrets } from '../keys/key-state.ts';
import { noticeChannels, noticeSettings } from '../notices/notice-state.ts';
import { owners, removedOwners, setupLink } from '../owners/owner-state.ts';
import { devices, passwordTries } from '../owners/password-state.ts';
import { sessionProofs, sessions } from '../owners/session-state.ts';
import { reads } from '../provenance/read-state.ts';
import type { Table } from '../state/table.ts';
import { trackerLinks, trackers } from '../trackers/tracker-state.ts';
import { inboxLeases, inboxReaders, movedIntoInbox } from '../watching/inbox-state.ts';

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
  messageHandles,
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

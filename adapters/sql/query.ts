import type { Values } from '../../core/state/change.ts';
import type { Row } from './row.ts';

/** One read of the database. */
export interface Query {
  readonly statement: Statement | { readonly name: string; readonly text: string };
  readonly values: Values;
}

/** The queries for one answer, and how to read their rows, in the same order. */
export interface Load<Answer> {
  readonly queries: readonly Query[];
  read(...results: readonly (readonly Row[])[]): Answer;
}

/** @param results  one for each query of the load */
export function readResults<Answer>(load: Load<Answer>, results: readonly (readonly Row[])[]): Answer {
  return load.read(...results);
}

/**
 * The text of each statement, in the dialect of one store. The store itself supplies `@storeNowMs` and
 * `@ownerIds`.
 */
export type StatementTexts = Readonly<Record<Statement, string>>;

/** @param texts  of the store */
export function nameAndText(
  { statement }: Query,
  texts: StatementTexts,
): { readonly name: string; readonly text: string } {
  return typeof statement === 'string' ? { name: statement, text: texts[statement] } : statement;
}

/** Each with its values. */
export type Statement =
  /** `secretHash`: the credential, its secret (`secret_expires_at_ms`, `sealed_tokens`, `secret_signature`), its owner. */
  | 'caller'
  /** `secretHash`: what the secret's credential and its owner have used. */
  | 'usage_of_secret'
  /** `ownerId`, `credentialId`: what this credential and its owner have used. */
  | 'usage_of_credential'
  /** `secretHash`: the accounts of the secret's owner, oldest first. */
  | 'accounts_of_secret'
  /** `secretHash` */
  | 'secret'
  /** `ownerId`, `slotId` */
  | 'slot'
  /** `ownerId`, `credentialId`, `key` */
  | 'claim'
  /** The same: the approval that the claim is bound to. */
  | 'approval_of_claim'
  /** `ownerId`, `approvalId` */
  | 'approval'
  | 'plan'
  | 'asked_plan'
  | 'follow_up'
  /** The same: the approval's credential, with its owner's plan and limits. */
  | 'standing_of_approval'
  /** `ownerId`, `approvalIds` */
  | 'gists'
  /** `ownerId`, `credentialId`: the same columns. */
  | 'standing'
  /** The values of a `FilingNeed`. */
  | 'same_pending'
  | 'same_unfinished'
  | 'target_pending'
  | 'same_of_owner'
  | 'direct_sends'
  | 'filed'
  | 'waiting'
  /** `running`, `limit`: approvals with their plans. */
  | 'lapsed'
  | 'due_follow_ups'
  /** `nowMs` */
  | 'overdue'
  /** `ownerId`, `credentialId` */
  | 'credential'
  | 'secrets'
  /** The same: its approved approvals that have not started. */
  | 'unstarted'
  /** `ownerId`: its pending approvals. */
  | 'pending'
  /** `ownerId`: the targets of those. */
  | 'pending_targets'
  /** `ownerId` */
  | 'owner'
  | 'accounts'
  | 'account_health'
  | 'credentials'
  | 'credential_use'
  | 'secrets_of_owner'
  /** `ownerId`, `requestId` */
  | 'tracker_of_request'
  /** `ownerId`: `last_id`, 0 if there is none. */
  | 'last_tracker'
  | 'last_link'
  /** `ownerId`, `trackerId`, `linkId`: `last_id`, the newest link of a message except this one; 0 if there is none. */
  | 'other_message_link'
  /** `ownerId`, `trackerIds`; and `targets`. */
  | 'trackers_by_id'
  | 'links_by_target'
  /** `ownerId`, `accountId`, `reader`: of the account's inbox. */
  | 'inbox_reader'
  /** `ownerId`, `accountId`, `identities` */
  | 'moved_into_inbox'
  /** `ownerId` */
  | 'inbox_leases'
  | 'inbox_readers'
  /** `all` */
  | 'inboxes_to_watch'
  /** `nowMs`, `limit` */
  | 'accounts_to_check'
  /** `ownerId`, `createdAtMs`, `id`, `limit`; and `credentialId`. */
  | 'approvals_of_owner'
  | 'open_of_owner'
  | 'ended_of_owner'
  | 'approvals_of_credential'
  | 'open_of_credential'
  | 'ended_of_credential'
  /** `owners`: the open approvals, and the newest one of each owner once more, with `is_newest`. */
  | 'open_states'
  /** `ownerId`, `accountId`, `addresses` */
  | 'known_recipients'
  /** `ownerId`, `accountId`, `domainKeys`: the domains that have one, and of others with the same ending the one written to most. */
  | 'known_domains'
  /** `ownerId`, `marks` */
  | 'relocated'
  /** `ownerId`, `isResolved`, `before`, `limit` */
  | 'trackers'
  | 'count_trackers'
  /** `ownerId`, `trackerId`, `upTo`, `limit` */
  | 'links'
  | 'count_links'
  /** `ownerId` */
  | 'waiting_trackers'
  /** `limit`, `messages` */
  | 'trackers_to_summarise'
  | 'messages_to_summarise'
  /** `ownerId` */
  | 'endpoints'
  /** `ownerId`, `credentialId`: the keys of the endpoints, and this one. */
  | 'keys_of_endpoints'
  /** `ownerId`, `limit`: events behind the enabled endpoint that is furthest behind. */
  | 'events_behind'
  /** `ownerId`, `names` (JSON of pairs of endpoint and sequence): deliveries. */
  | 'deliveries_by_event'
  /** `ownerId`, `limit` of each endpoint: deliveries with their events. */
  | 'due_deliveries'
  /** `ownerId`, `endpointId`, `before`, `limit`: the same columns. */
  | 'deliveries'
  /** `after`, `limit` */
  | 'owners_with_deliveries'
  /** `ownerId`, oldest first. */
  | 'pending_grants'
  | 'any_owner'
  /** The store's clock, as `now_ms`. */
  | 'clock';

import type { Approval } from '../../core/approvals/approval.ts';
import { folderRolesText } from '../../core/folders/roles.ts';
import { fencesText } from '../../core/gate/fences.ts';
import type { Account } from '../../core/ports/account.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { AnyChange, StoredTracker } from '../../core/ports/store.ts';
import type { LinkContent } from '../../core/ports/tracker-storage.ts';
import { domainNames } from '../../core/safety/domain-keys.ts';
import { domainOf } from '../../core/safety/domain-of.ts';
import type { RowChange, Values } from '../../core/state/change.ts';
import { serverColumns, serverKey } from './account-health.ts';
import { grantColumns, pendingGrantColumns, pendingGrantKey } from './grant.ts';
import { readerColumns } from './watching.ts';
import { deliveryRow, endpointColumns, endpointKey } from './webhook.ts';

export type WriteStatement =
  /** Sets the counts of the credential's minute, with the time of its call, and of the owner's day. Adds the slot. */
  | 'count_call'
  | 'add_targets'
  /** `domain_keys`: JSON of pairs of a name of a known domain and its keys. Adds the keys of new names. */
  | 'add_domain_keys'
  /** Counts what `remember_recipients` is about to count. `domains`: of the addresses; '' counts nowhere. */
  | 'count_domains'
  /** Existing ones stay unchanged. */
  | 'remember_recipients'
  /** `domain_endings`: JSON of pairs of a name and a domain that ends with it. Sets the domain written to most. */
  | 'rank_domains'
  | 'remember_relocated';

type RowWrite = Exclude<RowChange, { op: 'run' | 'put_rows' }>;

const texts = new Map<string, string>();

/**
 * Returns the text of a write that is the same in every dialect. @param prefix  before the name of a table
 */
export function writeText(write: RowWrite, prefix: string): string {
  const key = Object.keys(write.key);
  const values = write.op === 'delete' ? [] : Object.keys(write.values);
  const shape = `${write.op} ${prefix}${write.table} ${key.join()} ${values.join()}`;
  const known = texts.get(shape);
  if (known !== undefined) return known;
  const made = textOf(write.op, `${prefix}${write.table}`, key, values);
  texts.set(shape, made);
  return made;
}

function textOf(
  op: RowWrite['op'],
  table: string,
  key: readonly string[],
  values: readonly string[],
): string {
  const where = key.map((column) => `${column} = @${column}`).join(' AND ');
  if (op === 'delete') return `DELETE FROM ${table} WHERE ${where}`;
  const set = values.map((column) => `${column} = @${column}`).join(', ');
  if (op === 'update') return `UPDATE ${table} SET ${set} WHERE ${where}`;
  const columns = [...key, ...values];
  const places = columns.map((column) => `@${column}`).join(', ');
  const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`;
  return op === 'insert' ? insert : `${insert} ${orReplace(key, values)}`;
}

/** The end of an insert that sets the columns if the key exists. */
export function orReplace(key: readonly string[], columns: readonly string[]): string {
  const excluded = columns.map((column) => `${column} = excluded.${column}`).join(', ');
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${excluded}`;
}

export function eraseValues(before: Parameters<Storage['erase']>[0]): Values {
  return {
    plansKeptUntilMs: before.plansKeptUntil.getTime(),
    eventsBeforeMs: before.eventsBefore.getTime(),
    activityBeforeMs: before.activityBefore.getTime(),
    claimsBeforeMs: before.claimsBefore.getTime(),
    readsBeforeMs: before.readsBefore.getTime(),
    passwordTriesBeforeMs: before.passwordTriesBefore.getTime(),
  };
}

/** Returns the rows of a change. */
export function writesOf(change: AnyChange): readonly RowChange[] {
  if ('op' in change) return [change];
  switch (change.type) {
    case 'count_call': {
      const { minute, day } = change;
      const values = {
        owner_id: change.ownerId,
        credential_id: change.credentialId,
        minute_ms: minute.startedAtMs,
        minute_count: minute.count,
        day_ms: day.startedAtMs,
        day_count: day.count,
        slot_id: change.slotId,
        lease_until_ms: change.leaseUntilMs,
        at_ms: change.at.getTime(),
      };
      return [{ op: 'run', statement: 'count_call', values }];
    }
    case 'keep_slot': {
      const values = { time_ms: change.leaseUntilMs };
      return [{ op: 'update', table: 'usage', key: slotKey(change), values }];
    }
    case 'give_slot':
      return [{ op: 'delete', table: 'usage', key: slotKey(change) }];
    case 'save_claim': {
      const { of, claim } = change;
      const key = { owner_id: of.ownerId, credential_id: of.credentialId, key: of.key };
      const values = {
        fence: claim.fence,
        request_id: claim.requestId,
        fingerprint: claim.fingerprint,
        released: claim.released,
        lease_until_ms: claim.leaseUntil.getTime(),
        sealed_outcome: claim.sealedOutcome,
        approval_id: claim.approvalId,
        created_at_ms: claim.createdAt.getTime(),
      };
      return [{ op: 'put', table: 'claims', key, values }];
    }
    case 'add_approval': {
      const { approval, filed } = change;
      const key = approvalKey(approval.ownerId, approval.id);
      const values = {
        ...stateColumns(approval),
        credential_id: approval.credentialId,
        account_id: approval.accountId,
        tool: approval.tool,
        permission_group: approval.group,
        action: approval.action,
        reasons: JSON.stringify(approval.reasons),
        created_at_ms: approval.createdAt.getTime(),
        expires_at_ms: approval.expiresAt.getTime(),
        request_hash: filed.requestHash,
        similar_hash: filed.similarHash,
        asked: approval.state === 'pending',
        sends: filed.sends,
        filed_at_ms: filed.filedAtMs,
      };
      const sealed = { sealed_plan: filed.sealedPlan, sealed_gist: filed.sealedGist };
      const plan: RowChange = { op: 'insert', table: 'plans', key, values: sealed };
      const approvals: RowChange = { op: 'insert', table: 'approvals', key, values };
      if (filed.targets.length === 0) return [approvals, plan];
      const targets = { ...key, targets: filed.targets };
      return [approvals, plan, { op: 'run', statement: 'add_targets', values: targets }];
    }
    case 'save_approval': {
      const { approval } = change;
      const key = approvalKey(approval.ownerId, approval.id);
      return [{ op: 'update', table: 'approvals', key, values: stateColumns(approval) }];
    }
    case 'replace_plan': {
      const { sealedPlan, sealedGist, sealedAsked } = change.plan;
      const key = approvalKey(change.ownerId, change.approvalId);
      const values = { sealed_plan: sealedPlan, sealed_gist: sealedGist, sealed_asked: sealedAsked };
      return [{ op: 'update', table: 'plans', key, values }];
    }
    case 'free_targets': {
      const key = approvalKey(change.ownerId, change.approvalId);
      return [{ op: 'delete', table: 'waiting_targets', key }];
    }
    case 'keep_follow_up': {
      const key = approvalKey(change.ownerId, change.approvalId);
      return [{ op: 'put', table: 'follow_ups', key, values: { due_at_ms: change.dueAtMs } }];
    }
    case 'end_follow_up': {
      const key = approvalKey(change.ownerId, change.approvalId);
      return [{ op: 'delete', table: 'follow_ups', key }];
    }
    case 'remember_recipients': {
      const times = new Map<string, number>();
      for (const address of change.addresses) times.set(address, (times.get(address) ?? 0) + 1);
      const domains = Array.from(times.keys(), domainOf);
      const named = new Map(domains.map((domain) => [domain, domainNames(domain)]));
      const keys = new Map([...named.values()].flat().map((one) => [one.name, one.keys]));
      const ranked = [...named].flatMap(([domain, names]) => names.map(({ name }) => [name, domain]));
      const values = {
        ...accountKey(change),
        addresses: [...times.keys()],
        times: [...times.values()],
        domains: domains.map((domain) => (named.get(domain)?.length === 0 ? '' : domain)),
        added: change.isSend ? 1 : 0,
        since_ms: change.now.getTime(),
      };
      return [
        {
          op: 'run',
          statement: 'add_domain_keys',
          values: { ...values, domain_keys: JSON.stringify([...keys]) },
        },
        { op: 'run', statement: 'count_domains', values },
        { op: 'run', statement: 'remember_recipients', values },
        {
          op: 'run',
          statement: 'rank_domains',
          values: { ...values, domain_endings: JSON.stringify(ranked) },
        },
      ];
    }
    case 'remember_relocated': {
      const values = { owner_id: change.ownerId, marks: change.marks };
      return [{ op: 'run', statement: 'remember_relocated', values }];
    }
    case 'add_credential':
    case 'save_credential': {
      const { credential } = change;
      const key = { owner_id: credential.ownerId, credential_id: credential.credentialId };
      const values = {
        kind: credential.kind,
        name: credential.name,
        modes: JSON.stringify(credential.modes),
        revision: credential.revision,
        created_at_ms: credential.createdAt.getTime(),
        expires_at_ms: credential.expiresAt.getTime(),
        overlap_until_ms: credential.overlapUntil?.getTime() ?? null,
        revoked_at_ms: credential.revokedAt?.getTime() ?? null,
        paused_at_ms: credential.pausedAt?.getTime() ?? null,
        fences: fencesText(credential.fences),
        signature: credential.signature,
      };
      const op = change.type === 'add_credential' ? 'insert' : 'update';
      return [{ op, table: 'credentials', key, values }];
    }
    case 'add_secret':
    case 'save_secret': {
      const { secret } = change;
      const values = {
        owner_id: secret.ownerId,
        credential_id: secret.credentialId,
        expires_at_ms: secret.expiresAt.getTime(),
        sealed_tokens: secret.sealedTokens,
        signature: secret.signature,
      };
      const op = change.type === 'add_secret' ? 'insert' : 'update';
      return [{ op, table: 'secrets', key: { secret_hash: secret.secretHash }, values }];
    }
    case 'remove_secret': {
      const { ownerId: owner_id, credentialId: credential_id, secretHash: secret_hash } = change;
      return [{ op: 'delete', table: 'secrets', key: { secret_hash, owner_id, credential_id } }];
    }
    case 'add_account': {
      const { account, now } = change;
      const values = {
        ...accountColumns(account),
        email: account.email,
        folder_roles: folderRolesText(account.folderRoles),
        ...grantColumns(account.grant),
        created_at_ms: now.getTime(),
      };
      const counted: RowChange = {
        op: 'update',
        table: 'owners',
        key: { owner_id: account.ownerId },
        values: { last_account_id: account.accountId },
      };
      return [{ op: 'insert', table: 'accounts', key: accountKey(account), values }, counted];
    }
    case 'save_account': {
      const { account } = change;
      return [{ op: 'update', table: 'accounts', key: accountKey(account), values: accountColumns(account) }];
    }
    case 'save_server':
      return [
        {
          op: change.isNew ? 'put' : 'update',
          table: 'account_health',
          key: serverKey(change),
          values: serverColumns(change),
        },
      ];
    case 'plan_check':
      return [
        {
          op: 'update',
          table: 'accounts',
          key: accountKey(change),
          values: { next_check_ms: change.at.getTime() },
        },
      ];
    case 'forget_health':
      return [{ op: 'delete', table: 'account_health', key: accountKey(change) }];
    case 'remove_account':
      return [
        { op: 'delete', table: 'account_health', key: accountKey(change) },
        { op: 'delete', table: 'accounts', key: accountKey(change) },
        { op: 'delete', table: 'known_recipients', key: accountKey(change) },
        { op: 'delete', table: 'known_domains', key: accountKey(change) },
        { op: 'delete', table: 'known_domain_keys', key: accountKey(change) },
        { op: 'delete', table: 'moved_into_inbox', key: accountKey(change) },
      ];
    case 'save_grant':
      return [
        { op: 'update', table: 'accounts', key: accountKey(change), values: grantColumns(change.grant) },
      ];
    case 'add_pending_grant': {
      const key = pendingGrantKey(change.ownerId, change.pending.stateHash);
      return [{ op: 'insert', table: 'pending_grants', key, values: pendingGrantColumns(change.pending) }];
    }
    case 'remove_pending_grant': {
      const key = pendingGrantKey(change.ownerId, change.stateHash);
      return [{ op: 'delete', table: 'pending_grants', key }];
    }
    case 'activate_account': {
      const values = { active_account_id: change.accountId };
      return [{ op: 'update', table: 'owners', key: { owner_id: change.ownerId }, values }];
    }
    case 'save_folder_roles': {
      const values = { folder_roles: folderRolesText(change.roles) };
      return [{ op: 'update', table: 'accounts', key: accountKey(change), values }];
    }
    case 'add_tracker': {
      const { tracker, requestId } = change;
      const values = {
        ...changedColumns({ tracker, lastMessageLinkId: 0, summarisedLinkId: 0 }),
        request_id: requestId,
        added_by_agent: tracker.addedByAgent,
        created_at_ms: tracker.createdAt.getTime(),
      };
      return [{ op: 'insert', table: 'trackers', key: trackerKey(tracker), values }];
    }
    case 'save_tracker': {
      const { stored } = change;
      const key = trackerKey(stored.tracker);
      return [{ op: 'update', table: 'trackers', key, values: changedColumns(stored) }];
    }
    case 'add_link': {
      const { ownerId, trackerId, target, link } = change;
      const values = {
        tracker_id: trackerId,
        target,
        added_by: link.addedBy,
        created_at_ms: link.createdAt.getTime(),
        ...contentColumns(link.content),
      };
      const key = { owner_id: ownerId, link_id: link.linkId };
      return [{ op: 'insert', table: 'tracker_links', key, values }];
    }
    case 'remove_link': {
      const key = { owner_id: change.ownerId, link_id: change.linkId };
      return [{ op: 'delete', table: 'tracker_links', key }];
    }
    case 'save_inbox_lease': {
      const values = { fence: change.fence, lease_until_ms: change.leaseUntilMs };
      return [{ op: 'put', table: 'inbox_leases', key: accountKey(change), values }];
    }
    case 'save_reader': {
      const key = { ...accountKey(change), reader: change.reader };
      return [{ op: 'put', table: 'inbox_readers', key, values: readerColumns(change) }];
    }
    case 'remember_moved_in': {
      const key = { ...accountKey(change), identity: change.identity };
      return [{ op: 'put', table: 'moved_into_inbox', key, values: { at_ms: change.now.getTime() } }];
    }
    case 'forget_moved_in': {
      const key = { ...accountKey(change), identity: change.identity };
      return [{ op: 'delete', table: 'moved_into_inbox', key }];
    }
    case 'add_endpoint': {
      const { endpoint, position } = change.stored;
      const values = {
        ...endpointColumns(endpoint),
        credential_id: endpoint.credentialId,
        url: endpoint.url,
        types: JSON.stringify(endpoint.types),
        position,
        created_at_ms: endpoint.createdAt.getTime(),
      };
      const counted: RowChange = {
        op: 'update',
        table: 'owners',
        key: { owner_id: endpoint.ownerId },
        values: { last_endpoint_id: endpoint.endpointId },
      };
      return [{ op: 'insert', table: 'endpoints', key: endpointKey(endpoint), values }, counted];
    }
    case 'save_endpoint': {
      const { endpoint } = change;
      const values = endpointColumns(endpoint);
      return [{ op: 'update', table: 'endpoints', key: endpointKey(endpoint), values }];
    }
    case 'move_endpoint': {
      const values = { position: change.position };
      return [{ op: 'update', table: 'endpoints', key: endpointKey(change), values }];
    }
    case 'remove_endpoint':
      return [
        { op: 'delete', table: 'endpoints', key: endpointKey(change) },
        { op: 'delete', table: 'deliveries', key: endpointKey(change) },
      ];
    case 'save_deliveries': {
      const rows = change.deliveries.map((one) => deliveryRow(change.ownerId, one));
      return [{ op: 'put_rows', table: 'deliveries', key: ['owner_id', 'endpoint_id', 'sequence'], rows }];
    }
  }
}

function slotKey(slot: { ownerId: string; credentialId: string; slotId: string }): Values {
  return { owner_id: slot.ownerId, credential_id: slot.credentialId, slot_id: slot.slotId };
}

function approvalKey(ownerId: string, approvalId: string): Values {
  return { owner_id: ownerId, approval_id: approvalId };
}

function accountKey({ ownerId, accountId }: { ownerId: string; accountId: number }): Values {
  return { owner_id: ownerId, account_id: accountId };
}

/** The columns of an account that change. */
function accountColumns(account: Omit<Account, 'isPrimary'>): Values {
  return {
    label: account.label,
    display_name: account.displayName,
    signature: account.signature,
    sealed_settings: account.sealedSettings,
    settings_revision: account.revision,
    authserv_id: account.authservId,
  };
}

function _sessionKey(ownerId: string, sessionId: string): Values {
  return { owner_id: ownerId, session_id: sessionId };
}

function trackerKey({ ownerId, trackerId }: { ownerId: string; trackerId: number }): Values {
  return { owner_id: ownerId, tracker_id: trackerId };
}

/** The columns of an approval that change when it moves. */
function stateColumns(approval: Approval): Values {
  return {
    state: approval.state,
    approved_by: approval.approvedBy,
    decided_at_ms: approval.decidedAt?.getTime() ?? null,
    decided_in: approval.decidedIn,
    rejection: approval.rejection?.reason ?? null,
    sealed_note: approval.rejection?.sealedNote ?? null,
    edited_hash: approval.edit?.requestHash ?? null,
    sealed_diff: approval.edit?.sealedDiff ?? null,
    digest: approval.digest,
    approved_at_ms: approval.approvedAt?.getTime() ?? null,
    started_at_ms: approval.startedAt?.getTime() ?? null,
    executed_at_ms: approval.executedAt?.getTime() ?? null,
    ended_at_ms: approval.endedAt?.getTime() ?? null,
    fence: approval.lease.fence,
    lease_until_ms: approval.lease.untilMs,
    result: approval.result === null ? null : JSON.stringify(approval.result),
    error: approval.error,
    message_bytes: approval.sizes?.bytes ?? null,
    limit_bytes: approval.sizes?.limitBytes ?? null,
  };
}

/** The columns of a tracker that change. */
function changedColumns({ tracker, lastMessageLinkId, summarisedLinkId }: StoredTracker): Values {
  return {
    title: tracker.title,
    keywords: tracker.keywords,
    due_on: tracker.dueOn,
    status: tracker.status,
    resolved_at_ms: tracker.resolvedAt?.getTime() ?? null,
    last_auto_link_at_ms: tracker.lastAutoLinkAt?.getTime() ?? null,
    summary: tracker.summary.text,
    next_action: tracker.summary.nextAction,
    importance: tracker.summary.importance,
    summary_source_count: tracker.summary.sourceCount,
    last_message_link_id: lastMessageLinkId,
    summarised_link_id: summarisedLinkId,
  };
}

function contentColumns(content: LinkContent): Values {
  switch (content.kind) {
    case 'note':
      return { kind: 'note', note: content.note };
    case 'event':
      return {
        kind: 'event',
        event_id: content.eventId,
        subject: content.title,
        start_ms: content.start.getTime(),
      };
    case 'mail': {
      const { message } = content;
      return {
        kind: 'mail',
        account_id: message.accountId,
        path: message.place.path,
        uid_validity: message.place.uidValidity,
        uid: message.place.uid,
        stable_id: message.stableId,
        fingerprint: message.fingerprint,
        sender: message.from,
        subject: message.subject,
        dated: message.date,
        internal_date_ms: message.internalDate.getTime(),
        size_bytes: message.sizeBytes,
        excerpt: message.excerpt,
      };
    }
  }
}

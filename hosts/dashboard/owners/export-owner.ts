import type { NoticeChannelView } from '../../../core/notices/notices.ts';
import type { Account } from '../../../core/ports/account.ts';
import { errorName } from '../../../core/ports/log.ts';
import type { ApprovalContent } from '../../../core/requests/approval-views.ts';
import { download } from '../download.ts';
import type { OwnerVisit, Reply } from '../visit.ts';

/** Rows in memory at a time. */
const ROWS = 200;
/** Requests with their whole content, opened at a time. */
const REQUESTS = 20;

const LEFT_OUT = [
  'passwords and other secrets: of the owner, accounts, keys, sign-ins, sessions, webhooks, notices, second step',
  'the mail and calendars themselves, which stay on their servers',
  'the content of requests that was erased before',
  'keyed fingerprints: of what calls showed, and of the addresses that you wrote to',
];

/**
 * Everything that is stored of the owner, as one JSON object, written while it is read. It takes more than the session
 * cookie: a form with a recent proof. Every list is read page by page, oldest or newest first, behind its last row, so no
 * row comes twice; rows that are added meanwhile may be missing. If a page cannot be read, the download breaks off: a file
 * that is incomplete is not JSON.
 */
export async function exportOwner(visit: OwnerVisit): Promise<Reply> {
  return download(visit.head, { name: 'countersign.json', type: 'application/json' }, chunksOf(visit));
}

async function* chunksOf(visit: OwnerVisit): AsyncGenerator<string, undefined, undefined> {
  const { service, owner, options } = visit;
  const startedAt = new Date().toISOString();
  try {
    const head = { format: 'countersign export 1', started_at: startedAt, left_out: LEFT_OUT };
    const { ownerId } = owner;
    const once = {
      owner,
      second_step: await service.secondSteps.show(ownerId),
      sessions: await service.sessions.list(ownerId),
      accounts: (await service.accounts.list(ownerId)).map(accountRow),
      account_health: await service.accounts.health(ownerId),
      keys_and_sign_ins: await service.keys.list(ownerId),
      use_of_keys: Object.fromEntries(await service.keys.use(ownerId)),
      notices: {
        settings: await service.notices.settings(ownerId),
        channels: (await service.notices.list(ownerId)).map(channelRow),
      },
      webhooks: await service.webhooks.list(ownerId),
    };
    yield `${JSON.stringify({ ...head, ...once }, null, 1).slice(0, -2)}`;
    for (const [name, rows] of Object.entries({
      trackers_and_links: trackersOf(visit),
      requests: requestsOf(visit),
      webhook_deliveries: deliveriesOf(visit),
      events: eventsOf(visit),
      activity: activityOf(visit),
    })) {
      yield `,\n "${name}": [`;
      let separator = '\n  ';
      for await (const row of rows) {
        yield separator + JSON.stringify(row);
        separator = ',\n  ';
      }
      yield ']';
    }
    yield ',\n "is_complete": true\n}\n';
  } catch (error) {
    options.log?.error('an export of everything broke off', errorName(error));
    throw error;
  }
}

/** What is exported of an account. A new secret of it stays out. */
const ACCOUNT_FIELDS = [
  'accountId',
  'label',
  'email',
  'displayName',
  'signature',
  'revision',
  'isPrimary',
  'folderRoles',
  'authservId',
  'isIndexed',
] as const satisfies readonly (keyof Account)[];

function accountRow(account: Account) {
  const { grant } = account;
  return {
    ...Object.fromEntries(ACCOUNT_FIELDS.map((name) => [name, account[name]])),
    signIn: grant === null ? 'password' : 'provider',
    signInWithdrawnAt: grant?.withdrawnAt ?? null,
  };
}

/** Without the push endpoint: it is an address that is meant to be secret (RFC 8030, section 8.3). */
function channelRow({ endpoint: _, ...channel }: NoticeChannelView) {
  return channel;
}

async function* trackersOf({ service, owner: { ownerId } }: OwnerVisit): AsyncGenerator<unknown> {
  for (const state of ['active', 'resolved'] as const) {
    let before: number | undefined;
    for (let more = true; more; ) {
      const page = await service.trackers.list(ownerId, {
        state,
        limit: ROWS,
        ...(before !== undefined && { before }),
      });
      for (const tracker of page.trackers) {
        yield tracker;
        yield* linksOf(service, ownerId, tracker.trackerId);
      }
      before = page.trackers.at(-1)?.trackerId;
      more = page.more;
    }
  }
}

async function* linksOf(
  service: OwnerVisit['service'],
  ownerId: string,
  trackerId: number,
): AsyncGenerator<unknown> {
  let upTo: number | undefined;
  for (let more = true; more; ) {
    const shown = await service.trackers.show(ownerId, trackerId, {
      limit: ROWS,
      ...(upTo !== undefined && { upTo }),
    });
    if (shown === undefined) return;
    for (const link of shown.links) yield { trackerId, ...link };
    upTo = (shown.links.at(-1)?.linkId ?? 1) - 1;
    more = shown.more;
  }
}

async function* requestsOf({ service, owner: { ownerId } }: OwnerVisit): AsyncGenerator<unknown> {
  let after: { createdAtMs: number; id: string } | undefined;
  for (let more = true; more; ) {
    const page = await service.approvals.list(ownerId, {
      state: 'all',
      limit: REQUESTS,
      ...(after && { after }),
    });
    const ids = page.approvals.map(({ approval }) => approval.id);
    for (const view of await service.approvals.showAll(ownerId, ids)) {
      yield { ...view, content: contentRow(view.content), asked: view.asked && contentRow(view.asked) };
    }
    const last = page.approvals.at(-1)?.approval;
    after = last && { createdAtMs: last.createdAt.getTime(), id: last.id };
    more = page.more;
  }
}

/** The bytes of its message as base64. */
function contentRow(content: ApprovalContent) {
  if (content.kind !== 'shown' || content.message === undefined) return content;
  const { bytes, ...message } = content.message;
  return { ...content, message: { ...message, bytes: Buffer.from(bytes).toString('base64') } };
}

async function* deliveriesOf({ service, owner: { ownerId } }: OwnerVisit): AsyncGenerator<unknown> {
  for (const { endpointId } of await service.webhooks.list(ownerId)) {
    let before: number | undefined;
    for (let more = true; more; ) {
      const page = await service.webhooks.deliveries(ownerId, endpointId, {
        limit: ROWS,
        ...(before !== undefined && { before }),
      });
      for (const delivery of page.deliveries) yield { endpointId, ...delivery };
      before = page.deliveries.at(-1)?.event.sequence;
      more = page.more;
    }
  }
}

async function* eventsOf({ service, owner: { ownerId } }: OwnerVisit): AsyncGenerator<unknown> {
  let after = 0;
  for (let more = true; more; ) {
    const events = await service.owners.events(ownerId, after, ROWS);
    yield* events;
    after = events.at(-1)?.sequence ?? after;
    more = events.length === ROWS;
  }
}

async function* activityOf({ service, owner: { ownerId } }: OwnerVisit): AsyncGenerator<unknown> {
  const query = { limit: ROWS };
  let page = await service.owners.activity(ownerId, query);
  yield* page.entries;
  while (page.more) {
    page = await service.owners.activity(ownerId, { ...query, before: page.entries.at(-1) });
    yield* page.entries;
  }
}

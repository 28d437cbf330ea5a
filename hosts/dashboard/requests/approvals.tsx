import { type Approval, isTerminal } from '../../../core/approvals/approval.ts';
import type { Account } from '../../../core/ports/account.ts';
import type { ApprovalSummary } from '../../../core/requests/approval-views.ts';
import { accountsToMend } from '../accounts/account-health.tsx';
import { AccountName } from '../accounts/account-name.tsx';
import { DisabledEndpoints } from '../events/disabled-endpoints.tsx';
import { Link } from '../links.tsx';
import { type NextStep, nextStep, WhatNext } from '../next-step.tsx';
import { accessChanges } from '../owners/access-changes.tsx';
import { alteredAccess } from '../owners/altered-access.tsx';
import { RelativeTime } from '../relative-time.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply } from '../visit.ts';
import { When } from '../when.tsx';
import { afterDecided } from './after-decision.tsx';
import { arrangedRequests, type ListItem, pathOf } from './arranged-requests.ts';
import { FindingChips } from './finding-chips.tsx';
import { RequestSentence, TogetherTitle } from './request-sentence.tsx';
import { StateBadge } from './state-badge.tsx';
import { waitingRequests } from './waiting-requests.ts';

/** The items of what waits that one page shows. The rest is one tap away. */
const ITEMS = 50;
/** Earlier requests on a page. */
const EARLIER = 30;

/** What waits, arranged for deciding, then what was decided earlier, newest first. */
export async function approvalsPage(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, query } = visit;
  const after = readPosition(query.get('after'));
  const [open, earlier, accounts, endpoints, toMend, access, altered] = await Promise.all([
    waitingRequests(service, owner.ownerId),
    service.approvals.list(owner.ownerId, { state: 'ended', limit: EARLIER, ...(after && { after }) }),
    service.accounts.list(owner.ownerId),
    service.webhooks.list(owner.ownerId),
    accountsToMend(visit),
    accessChanges(visit),
    alteredAccess(visit),
  ]);
  const { pending, running, more, now } = open;
  const shown: Shown = { now, zone: owner.timezone, accounts };
  const items = arrangedRequests(pending);
  const from = readFrom(query.get('from'), items.length);
  const isFirst = after === undefined && from === 0;
  const last = earlier.approvals.at(-1)?.approval;
  const body = (
    <>
      <h1>{title(pending.length, more)}</h1>
      <DisabledEndpoints endpoints={endpoints} />
      {toMend}
      {altered}
      {access}
      {after !== undefined ? null : (
        <section aria-labelledby="waiting">
          <h2 id="waiting" class="visually-hidden">
            Waiting for you
          </h2>
          {items.length === 0 ? (
            <NothingWaits step={await nextStep(visit)} />
          ) : (
            <Items items={items.slice(from, from + ITEMS)} shown={shown} />
          )}
          <Pages from={from} items={items.length} />
          {more ? <p class="quiet">There are more; they come up as you decide these.</p> : null}
        </section>
      )}
      {running.length === 0 || !isFirst ? null : (
        <section aria-labelledby="running">
          <h2 id="running">Being carried out</h2>
          <Rows summaries={running} shown={shown} />
        </section>
      )}
      {from > 0 ? null : (
        <section aria-labelledby="earlier">
          <h2 id="earlier">Earlier</h2>
          {earlier.approvals.length === 0 ? (
            <p class="quiet">Nothing here yet.</p>
          ) : (
            <Rows summaries={earlier.approvals} shown={shown} />
          )}
          <p class="pages">
            {after === undefined ? null : <Link to="/approvals">Newest</Link>}
            {earlier.more && last !== undefined ? (
              <Link to={`/approvals?after=${positionOf(last)}`}>Older</Link>
            ) : null}
          </p>
        </section>
      )}
    </>
  );
  return afterDecided(visit, { ...page('Approvals', body), showsRequests: true });
}

/** What the rows of one page share. */
interface Shown {
  readonly now: Date;
  readonly zone: string;
  readonly accounts: readonly Account[];
}

function title(count: number, more: boolean): string {
  if (count === 0) return 'Nothing waits for you';
  if (more) return `More than ${count} requests wait`;
  return count === 1 ? '1 request waits' : `${count} requests wait`;
}

function NothingWaits({ step }: { step: NextStep }) {
  return (
    <>
      <p>
        A request appears here as soon as a program asks for something that needs your approval. Keep this
        page open, or come back later. Under <Link to="/integrations">Integrations</Link> you choose what
        programs must ask for, and <Link to="/activity">Activity</Link> shows what they did.
      </p>
      <WhatNext step={step} />
    </>
  );
}

function Pages({ from, items }: { from: number; items: number }) {
  const left = items - from - ITEMS;
  if (from === 0 && left <= 0) return null;
  return (
    <p class="pages">
      {from === 0 ? null : <Link to="/approvals">First</Link>}
      {left <= 0 ? null : <Link to={`/approvals?from=${from + ITEMS}`}>{left} more below</Link>}
    </p>
  );
}

function Items({ items, shown }: { items: readonly ListItem[]; shown: Shown }) {
  return (
    <ul class="rows">
      {items.map((item) => (
        <Item item={item} shown={shown} />
      ))}
    </ul>
  );
}

function Item({ item, shown }: { item: ListItem; shown: Shown }) {
  switch (item.kind) {
    case 'one':
      return <Row summary={item.summary} shown={shown} />;
    case 'together':
      return <Together item={item} shown={shown} />;
    case 'thread':
      return (
        <li id={`with-${item.summaries[0].approval.id}`} class="thread">
          <b>{item.summaries.length} replies in one thread</b>
          <Rows summaries={item.summaries} shown={shown} />
        </li>
      );
  }
}

function Rows({ summaries, shown }: { summaries: readonly ApprovalSummary[]; shown: Shown }) {
  return (
    <ul class="rows">
      {summaries.map((summary) => (
        <Row summary={summary} shown={shown} />
      ))}
    </ul>
  );
}

/** Requests that are decided together, on their own page. */
function Together({ item, shown }: { item: Extract<ListItem, { kind: 'together' }>; shown: Shown }) {
  const [first] = item.summaries;
  return (
    <li id={`together-${item.id}`}>
      <Link class="sentence" to={pathOf(item)}>
        <b>
          <TogetherTitle summaries={item.summaries} />
        </b>
      </Link>
      <div class="quiet">
        {item.summaries.length} requests · from <Quoted text={first.keyName} /> · the first expires{' '}
        <RelativeTime at={first.approval.expiresAt} now={shown.now} zone={shown.zone} />
      </div>
    </li>
  );
}

function Row({ summary, shown }: { summary: ApprovalSummary; shown: Shown }) {
  const { approval, keyName, gist, findings } = summary;
  const { now, zone, accounts } = shown;
  const accountIds = new Set(gist.kind === 'targets' ? gist.accountIds : []);
  if (approval.accountId !== null) accountIds.add(approval.accountId);
  const isPending = approval.state === 'pending';
  return (
    <li id={approval.id}>
      <div class="row-head">
        <Link class="sentence" to={`/approvals/${approval.id}`}>
          <RequestSentence summary={summary} zone={zone} />
        </Link>
        {isPending ? null : <StateBadge state={approval.state} />}
      </div>
      {isPending ? <FindingChips findings={findings} /> : null}
      <div class="quiet">
        {accounts.length < 2
          ? null
          : [...accountIds].map((accountId) => (
              <>
                <AccountName accounts={accounts} accountId={accountId} /> ·{' '}
              </>
            ))}
        from <Quoted text={keyName} /> ·{' '}
        {isTerminal(approval.state) ? (
          <When at={approval.createdAt} zone={zone} />
        ) : (
          <RelativeTime at={approval.createdAt} now={now} zone={zone} />
        )}
        {isPending ? (
          <>
            {' '}
            · expires <RelativeTime at={approval.expiresAt} now={now} zone={zone} />
          </>
        ) : null}
      </div>
    </li>
  );
}

function positionOf(approval: Approval): string {
  return `${approval.createdAt.getTime()}.${approval.id}`;
}

function readPosition(text: string | null): { createdAtMs: number; id: string } | undefined {
  const [, ms, id] = /^(\d{1,15})\.([A-Za-z0-9_-]{1,64})$/.exec(text ?? '') ?? [];
  return ms === undefined || id === undefined ? undefined : { createdAtMs: Number(ms), id };
}

/** The first item of the page. There may be fewer items by now. */
function readFrom(text: string | null, items: number): number {
  const from = /^\d{1,5}$/.test(text ?? '') ? Number(text) : 0;
  return from < items ? from : 0;
}

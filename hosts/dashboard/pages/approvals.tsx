import { type Approval, isTerminal } from '../../../core/approvals/approval.ts';
import type { Account } from '../../../core/ports/account.ts';
import { holdText } from '../../../core/safety/holds.ts';
import type { ApprovalGist, ApprovalSummary } from '../../../core/service/service.ts';
import { AccountName } from '../account-name.tsx';
import { DisabledEndpoints } from '../disabled-endpoints.tsx';
import { Link } from '../links.tsx';
import { StateBadge } from '../state-badge.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply } from '../visit.ts';
import { TimeSpan, When } from '../when.tsx';

/** More than can wait at once by default, so that every page holds decided ones too. */
const ROWS = 50;

/** What waits, then what is decided, newest first. */
export async function approvalsPage({ service, owner, query }: OwnerVisit): Promise<Reply> {
  const after = readPosition(query.get('after'));
  const [open, all, accounts, endpoints] = await Promise.all([
    service.approvals.list(owner.ownerId, { state: 'open', limit: ROWS }),
    service.approvals.list(owner.ownerId, { state: 'all', limit: ROWS, ...(after && { after }) }),
    service.accounts.list(owner.ownerId),
    service.webhooks.list(owner.ownerId),
  ]);
  const waiting =
    after === undefined ? open.approvals.toSorted((a, b) => rank(a.approval) - rank(b.approval)) : [];
  const decided = all.approvals.filter(({ approval }) => isTerminal(approval.state));
  const last = all.approvals.at(-1)?.approval;
  const rows = (shown: readonly ApprovalSummary[]) => (
    <ul class="rows">
      {shown.map((summary) => (
        <Row summary={summary} zone={owner.timezone} accounts={accounts} />
      ))}
    </ul>
  );
  const reply = page(
    'Approvals',
    <>
      <h1>Approvals</h1>
      <DisabledEndpoints endpoints={endpoints} />
      {after !== undefined ? null : (
        <section aria-labelledby="waiting">
          <h2 id="waiting">Waiting for you</h2>
          {waiting.length === 0 ? <p class="quiet">Nothing waits for you.</p> : rows(waiting)}
          {open.more ? <p class="quiet">There are more; they come up as you decide these.</p> : null}
        </section>
      )}
      <section aria-labelledby="decided">
        <h2 id="decided">Decided</h2>
        {decided.length === 0 ? <p class="quiet">Nothing here yet.</p> : rows(decided)}
        <p class="pages">
          {after === undefined ? null : <Link to="/approvals">Newest</Link>}
          {all.more && last !== undefined ? (
            <Link to={`/approvals?after=${positionOf(last)}`}>Older</Link>
          ) : null}
        </p>
      </section>
    </>,
  );
  return { ...reply, showsRequests: true };
}

/** What the owner has to decide comes before what is being carried out. */
function rank({ state }: Approval): number {
  return state === 'pending' ? 0 : 1;
}

function Row(props: { summary: ApprovalSummary; zone: string; accounts: readonly Account[] }) {
  const { approval, keyName, title, gist, findings } = props.summary;
  const accountIds = new Set(gist.kind === 'targets' ? gist.accountIds : []);
  if (approval.accountId !== null) accountIds.add(approval.accountId);
  return (
    <li id={approval.id}>
      <div class="row-head">
        <Link to={`/approvals/${approval.id}`}>{title}</Link>
        <StateBadge state={approval.state} />
      </div>
      <Gist gist={gist} zone={props.zone} />
      {approval.state !== 'pending' || findings.length === 0 ? null : (
        <ul class="findings">
          {findings.map((finding) => (
            <li>
              <Quoted text={holdText(finding.rule)} />
            </li>
          ))}
        </ul>
      )}
      <div class="quiet">
        {[...accountIds].map((accountId) => (
          <>
            <AccountName accounts={props.accounts} accountId={accountId} /> ·{' '}
          </>
        ))}
        asked by <Quoted text={keyName} /> · <When at={approval.createdAt} zone={props.zone} />
      </div>
    </li>
  );
}

/** Enough to tell one request from the next. The page of the request shows everything. */
function Gist({ gist, zone }: { gist: ApprovalGist; zone: string }) {
  switch (gist.kind) {
    case 'message':
      return (
        <div>
          to <Quoted text={gist.to.join(', ')} />: <Quoted text={gist.subject} />
        </div>
      );
    case 'event': {
      const [start, end] = [new Date(gist.startMs), new Date(gist.endMs)];
      return (
        <div>
          <Quoted text={gist.title} />: <TimeSpan start={start} end={end} allDay={gist.allDay} zone={zone} />
        </div>
      );
    }
    case 'targets':
      return (
        <div>
          <Quoted text={gist.subject} /> from <Quoted text={gist.from} />
          {gist.more === 0 ? '' : ` and ${gist.more} more`}
        </div>
      );
    case 'tracker':
      return (
        <div>
          <Quoted text={gist.title} />
        </div>
      );
    default:
      return <div class="quiet">{NOT_SHOWN[gist.kind]}</div>;
  }
}

const NOT_SHOWN = {
  erased: 'Its content has been erased.',
  not_kept: 'Open it to see what it asks for.',
  unreadable: 'Its summary cannot be read. Open it to see what it asks for.',
} as const;

function positionOf(approval: Approval): string {
  return `${approval.createdAt.getTime()}.${approval.id}`;
}

function readPosition(text: string | null): { createdAtMs: number; id: string } | undefined {
  const [, ms, id] = /^(\d{1,15})\.([A-Za-z0-9_-]{1,64})$/.exec(text ?? '') ?? [];
  return ms === undefined || id === undefined ? undefined : { createdAtMs: Number(ms), id };
}

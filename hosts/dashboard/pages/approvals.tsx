import { type Approval, isTerminal } from '../../../core/approvals/approval.ts';
import type { Account } from '../../../core/ports/storage.ts';
import type { ApprovalContent, ApprovalView } from '../../../core/service/service.ts';
import { AccountName } from '../account-name.tsx';
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
  const [open, all, accounts] = await Promise.all([
    service.approvals.list(owner.ownerId, { state: 'open', limit: ROWS }),
    service.approvals.list(owner.ownerId, { state: 'all', limit: ROWS, ...(after && { after }) }),
    service.accounts.list(owner.ownerId),
  ]);
  const waiting = open.approvals.toSorted((a, b) => rank(a) - rank(b));
  const decided = all.approvals.filter(({ state }) => isTerminal(state));
  const last = all.approvals.at(-1);
  const views = async (approvals: readonly Approval[]) =>
    (await Promise.all(approvals.map(({ id }) => service.approvals.show(owner.ownerId, id)))).filter(
      (view) => view !== undefined,
    );
  const [openViews, decidedViews] = await Promise.all([
    views(after === undefined ? waiting : []),
    views(decided),
  ]);
  const rows = (shown: readonly ApprovalView[]) => (
    <ul class="rows">
      {shown.map((view) => (
        <Row view={view} zone={owner.timezone} accounts={accounts} />
      ))}
    </ul>
  );
  return page(
    'Approvals',
    <>
      <h1>Approvals</h1>
      {after !== undefined ? null : (
        <section aria-labelledby="waiting">
          <h2 id="waiting">Waiting for you</h2>
          {openViews.length === 0 ? <p class="quiet">Nothing waits for you.</p> : rows(openViews)}
          {open.more ? <p class="quiet">There are more; they come up as you decide these.</p> : null}
        </section>
      )}
      <section aria-labelledby="decided">
        <h2 id="decided">Decided</h2>
        {decidedViews.length === 0 ? <p class="quiet">Nothing here yet.</p> : rows(decidedViews)}
        <p class="pages">
          {after === undefined ? null : <Link to="/approvals">Newest</Link>}
          {all.more && last !== undefined ? (
            <Link to={`/approvals?after=${positionOf(last)}`}>Older</Link>
          ) : null}
        </p>
      </section>
    </>,
  );
}

/** What the owner has to decide comes before what is being carried out. */
function rank({ state }: Approval): number {
  return state === 'pending' ? 0 : 1;
}

function Row(props: { view: ApprovalView; zone: string; accounts: readonly Account[] }) {
  const { approval, keyName, title, content } = props.view;
  const targets = content.kind === 'shown' ? content.targets : [];
  const accountIds = new Set(targets.map(({ account }) => account.accountId));
  if (approval.accountId !== null) accountIds.add(approval.accountId);
  return (
    <li>
      <div class="row-head">
        <Link to={`/approvals/${approval.id}`}>{title}</Link>
        <StateBadge state={approval.state} />
      </div>
      {content.kind === 'shown' ? <Gist shown={content} zone={props.zone} /> : null}
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

type Shown = Extract<ApprovalContent, { kind: 'shown' }>;

/** Enough to tell one request from the next; the page of the request says everything. */
function Gist({ shown: { message, event, details, targets }, zone }: { shown: Shown; zone: string }) {
  const facts = event?.after ?? event?.before;
  if (facts != null) {
    return (
      <div>
        <Quoted text={facts.title} />:{' '}
        <TimeSpan start={facts.start} end={facts.end} allDay={facts.allDay} zone={zone} />
      </div>
    );
  }
  if (message !== undefined) {
    return (
      <div>
        to <Quoted text={message.envelope.to.join(', ')} />: <Quoted text={message.says.subject} />
      </div>
    );
  }
  const [first, ...others] = targets;
  if (first === undefined) {
    const [about] = details;
    return about === undefined ? null : (
      <div>
        <Quoted text={about.text} />
      </div>
    );
  }
  return (
    <div>
      <Quoted text={first.subject} /> from <Quoted text={first.from} />
      {others.length === 0 ? '' : ` and ${others.length} more`}
    </div>
  );
}

function positionOf(approval: Approval): string {
  return `${approval.createdAt.getTime()}.${approval.id}`;
}

function readPosition(text: string | null): { createdAtMs: number; id: string } | undefined {
  const [, ms, id] = /^(\d{1,15})\.([A-Za-z0-9_-]{1,64})$/.exec(text ?? '') ?? [];
  return ms === undefined || id === undefined ? undefined : { createdAtMs: Number(ms), id };
}

import { type ApprovalState, isTerminal } from '../../../core/approvals/approval.ts';
import type { ApprovalSummary } from '../../../core/requests/approval-views.ts';
import { TOGETHER_MAX } from '../../../core/requests/decided-together.ts';
import { STATE_TITLES } from '../labels.ts';
import { Link } from '../links.tsx';
import { type OwnerVisit, type PageReply, type RedirectReply, redirect } from '../visit.ts';
import { APPROVAL_ID } from './approval-id.ts';
import { arrangedRequests, nextItem, pathOf } from './arranged-requests.ts';
import { Meaning } from './meaning.tsx';
import { RequestSentence } from './request-sentence.tsx';
import { StateBadge } from './state-badge.tsx';
import { waitingRequests } from './waiting-requests.ts';

/** Names the requests that were just decided, on the page that opens next. */
const DECIDED = 'decided';
const ID = new RegExp(`^${APPROVAL_ID}$`);

/** Opens the next request that waits, or the list if none does. The page says what became of these requests. */
export async function openNext(
  { service, owner }: OwnerVisit,
  approvalIds: readonly string[],
): Promise<RedirectReply> {
  const [{ pending }, decided] = await Promise.all([
    waitingRequests(service, owner.ownerId),
    service.approvals.summaries(owner.ownerId, approvalIds),
  ]);
  const next = nextItem(arrangedRequests(pending), decided.at(-1));
  const path = next === undefined ? '/approvals' : pathOf(next);
  return redirect(`${path}?${DECIDED}=${approvalIds.join('.')}`);
}

/** Adds to a page what became of the requests that were just decided, as they are now. */
export async function afterDecided(visit: OwnerVisit, reply: PageReply): Promise<PageReply> {
  const ids = (visit.query.get(DECIDED) ?? '').split('.').filter((id) => ID.test(id));
  if (ids.length === 0) return reply;
  const { service, owner } = visit;
  const decided = await service.approvals.summaries(owner.ownerId, ids.slice(0, TOGETHER_MAX));
  const [only, ...others] = decided;
  if (only === undefined) return reply;
  const body = (
    <>
      <div class="note" id="just-decided" role="status">
        {others.length === 0 ? (
          <One summary={only} zone={owner.timezone} />
        ) : (
          <Several decided={decided} zone={owner.timezone} />
        )}
      </div>
      {reply.body}
    </>
  );
  return { ...reply, body };
}

function One({ summary, zone }: { summary: ApprovalSummary; zone: string }) {
  const { approval } = summary;
  return (
    <>
      <StateBadge state={approval.state} />{' '}
      <Link to={`/approvals/${approval.id}`}>
        <RequestSentence summary={summary} zone={zone} />
      </Link>
      . <Meaning approval={approval} zone={zone} />
    </>
  );
}

function Several({ decided, zone }: { decided: readonly ApprovalSummary[]; zone: string }) {
  return (
    <details>
      <summary>
        You decided {decided.length} requests: {countedByState(decided)}.
      </summary>
      <ul class="rows">
        {decided.map((summary) => (
          <li>
            <One summary={summary} zone={zone} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** `9 executed, 1 failed` */
function countedByState(decided: readonly Pick<ApprovalSummary, 'approval'>[]): string {
  const counts = new Map<ApprovalState, number>();
  for (const { approval } of decided) counts.set(approval.state, (counts.get(approval.state) ?? 0) + 1);
  const ended = [...counts].toSorted(([one], [other]) => Number(isTerminal(other)) - Number(isTerminal(one)));
  return ended.map(([state, count]) => `${count} ${STATE_TITLES[state].toLowerCase()}`).join(', ');
}

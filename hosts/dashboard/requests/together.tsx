import type { ApprovalSummary, ApprovalView } from '../../../core/requests/approval-views.ts';
import type { DecidedMember } from '../../../core/requests/approvals.ts';
import { TOGETHER_MAX } from '../../../core/requests/decided-together.ts';
import { inWords } from '../../../core/safety/finding-text.ts';
import { Form, Problems } from '../forms/forms.tsx';
import { ShownSince, TOO_EARLY } from '../forms/shown-since.tsx';
import { whyNotDecided } from '../labels.ts';
import { Link, SubmitTo } from '../links.tsx';
import { decidedIn } from '../owners/prove-owner.ts';
import { ID } from '../page-protocol.ts';
import { problemPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, type PageReply, page, type Reply } from '../visit.ts';
import { When } from '../when.tsx';
import { afterDecided, openNext } from './after-decision.tsx';
import { requestsTogether } from './arranged-requests.ts';
import { MEMBER_FIELD, readMembers } from './member-field.ts';
import { messagesIn, RequestSentence, TogetherTitle } from './request-sentence.tsx';
import { StateBadge } from './state-badge.tsx';
import { waitingRequests } from './waiting-requests.ts';

/** So many messages fit on a page that somebody reads. One request may have up to 50. */
const MESSAGES_MAX = 200;

/** Requests that can be decided together, with every message of theirs. */
export async function togetherPage(visit: OwnerVisit): Promise<Reply> {
  return afterDecided(visit, { ...(await membersPage(visit)), showsRequests: true });
}

export function approveTogether(visit: OwnerVisit): Promise<Reply> {
  return decide(visit, 'approve');
}

export function rejectTogether(visit: OwnerVisit): Promise<Reply> {
  return decide(visit, 'reject');
}

/** Answers a press that decides nothing: the page had only just opened. */
export async function togetherTooEarly(visit: OwnerVisit): Promise<Reply> {
  return { ...(await membersPage(visit, `Nothing was decided. ${TOO_EARLY}`)), status: 409 };
}

async function decide(visit: OwnerVisit, decision: 'approve' | 'reject'): Promise<Reply> {
  const { service, owner, fields } = visit;
  const done = decision === 'approve' ? 'approved' : 'rejected';
  const members = readMembers(fields);
  if (members === undefined) {
    const text = 'The form did not say what it showed. Open the requests again.';
    return problemPage(400, `Nothing was ${done}`, text);
  }
  if (members.length > TOGETHER_MAX) {
    return problemPage(413, `Nothing was ${done}`, `Select at most ${TOGETHER_MAX} requests at a time.`);
  }
  if (members.length === 0) {
    const problem = `Nothing was ${done}. Select at least one request.`;
    return { ...(await membersPage(visit, problem)), status: 422 };
  }
  const decided = await service.approvals.decideTogether(owner.ownerId, decision, members, decidedIn(visit));
  const ids = decided.map(({ approvalId }) => approvalId);
  if (decided.every(({ left }) => left === null)) return openNext(visit, ids);
  return outcomesPage(visit, done, decided, await service.approvals.summaries(owner.ownerId, ids));
}

async function membersPage(visit: OwnerVisit, problem?: string): Promise<PageReply> {
  const { service, owner, param, token } = visit;
  const { pending } = await waitingRequests(service, owner.ownerId);
  const all = requestsTogether(pending, param);
  const summaries = onOnePage(all);
  const ids = summaries.map(({ approval }) => approval.id);
  const views = await service.approvals.showAll(owner.ownerId, ids);
  const [first] = views;
  if (first === undefined) return nothingWaits();
  const body = (
    <article class="approval together">
      <header>
        <h1>
          <TogetherTitle summaries={all} />
        </h1>
        <p class="quiet">
          {all.length} requests from <Quoted text={first.keyName} />. Nothing has happened yet.
        </p>
      </header>
      <p class="note" id={ID.changed} role="status" hidden />
      <Problems problems={problem === undefined ? [] : [problem]} />
      {first.isKeyPaused ? (
        <p class="note" id="paused">
          This key is paused. The requests run only if you approve them now.
        </p>
      ) : null}
      <Form
        action={`/approvals/together/${param}/reject`}
        token={token}
        class="decision"
        label="Decision for the selected requests"
      >
        <ShownSince visit={visit} />
        <ul class="rows" id={ID.members}>
          {views.map((view) => (
            <Member view={view} zone={owner.timezone} />
          ))}
        </ul>
        {all.length === views.length ? null : (
          <p class="quiet">
            These are {views.length} of {all.length} requests. The others come up as you decide these.
          </p>
        )}
        <div class="bar">
          <SubmitTo to={`/approvals/together/${param}/approve`}>Approve selected</SubmitTo>
          <button type="submit" class="outline secondary">
            Reject selected
          </button>
        </div>
      </Form>
    </article>
  );
  return page('Decide together', body);
}

/** The first of them, at least one, that fit on one page. */
function onOnePage(summaries: readonly ApprovalSummary[]): ApprovalSummary[] {
  let messages = 0;
  const most = summaries.slice(0, TOGETHER_MAX).findIndex(({ gist }, index) => {
    messages += messagesIn(gist);
    return index > 0 && messages > MESSAGES_MAX;
  });
  return summaries.slice(0, most === -1 ? TOGETHER_MAX : most);
}

function nothingWaits(): PageReply {
  return page(
    'Decide together',
    <section>
      <h1>None of these waits any more</h1>
      <p id={ID.changed} hidden />
      <p>They were decided, withdrawn or expired, or they are decided one by one now.</p>
      <p>
        <Link to="/approvals">Go to the approvals</Link>
      </p>
    </section>,
  );
}

/** What would happen to each message or tracker of one request. */
function Member({ view, zone }: { view: ApprovalView; zone: string }) {
  const { approval, content, findings } = view;
  const isDecidable = content.kind === 'shown' && !view.isOutsideFence;
  const { details = [], targets = [] } = content.kind === 'shown' ? content : {};
  const shownDetails = details.filter(({ text }) => text !== '');
  const facts = (
    <span>
      {targets.map((target) => (
        <span class="target">
          <b>
            <Quoted text={target.subject} />
          </b>{' '}
          from <Quoted text={target.from} />
          <span class="quiet">
            {' '}
            · <When at={target.date} zone={zone} /> · in <Quoted text={target.path} />
            {target.preview === '' ? null : (
              <>
                {' '}
                · <Quoted text={target.preview} />
              </>
            )}
          </span>
        </span>
      ))}
      {shownDetails.map(({ label, text }) => (
        <span class={targets.length === 0 ? 'target' : 'target quiet'}>
          {label}:{' '}
          <span class="lines">
            <Quoted text={text} />
          </span>
        </span>
      ))}
    </span>
  );
  return (
    <li id={approval.id}>
      {isDecidable ? (
        <label>
          <input type="checkbox" name={MEMBER_FIELD} value={`${approval.id}.${approval.digest}`} checked />
          {facts}
        </label>
      ) : (
        facts
      )}
      {isDecidable ? null : (
        <p class="note">
          {content.kind === 'shown'
            ? 'It is outside the fences of its key, so it is not decided here.'
            : 'It cannot be shown here.'}
        </p>
      )}
      {findings.length === 0 ? null : (
        <ul class="chips">
          {findings.map(({ sentence, severity }) => (
            <li data-severity={severity}>{inWords(sentence)}</li>
          ))}
        </ul>
      )}
      <Link class="quiet" to={`/approvals/${approval.id}`}>
        Open this request
      </Link>
    </li>
  );
}

/** Each member's own outcome, after not all of them could be decided. */
function outcomesPage(
  { owner }: OwnerVisit,
  done: 'approved' | 'rejected',
  decided: readonly DecidedMember[],
  summaries: readonly ApprovalSummary[],
): PageReply {
  const won = decided.filter(({ left }) => left === null).length;
  const body = (
    <section>
      <h1>
        {won === 0 ? 'Nothing' : won} {won === 1 || won === 0 ? 'was' : 'were'} {done}; {decided.length - won}{' '}
        {decided.length - won === 1 ? 'was' : 'were'} not
      </h1>
      <ul class="rows" id="outcomes">
        {decided.map((member) => {
          const summary = summaries.find(({ approval }) => approval.id === member.approvalId);
          return (
            <li id={member.approvalId}>
              {summary === undefined ? (
                'A request that is not yours or does not exist.'
              ) : (
                <div class="row-head">
                  <Link class="sentence" to={`/approvals/${member.approvalId}`}>
                    <RequestSentence summary={summary} zone={owner.timezone} />
                  </Link>
                  <StateBadge state={summary.approval.state} />
                </div>
              )}
              {member.left === null || summary === undefined ? null : (
                <p class="problem">
                  Not {done}. {whyLeft(member)}
                </p>
              )}
            </li>
          );
        })}
      </ul>
      <p>
        <Link to="/approvals">Go to the approvals</Link>
      </p>
    </section>
  );
  return page('What was decided', body, 409);
}

function whyLeft({ left, approval }: DecidedMember): string {
  switch (left) {
    case 'alone':
      return 'It is decided by itself. Open it.';
    case 'unproven':
      return 'Your settings ask who you are before this. Open it.';
    case 'changed':
      return 'The page did not show what would happen now. Open it.';
    case 'unknown':
      return 'Countersign could not reach its storage, so it may or may not have been decided. Open it.';
    default:
      return whyNotDecided(approval?.state);
  }
}

import type { ComponentChildren } from 'preact';
import * as z from 'zod';
import type { Approval } from '../../../core/approvals/approval.ts';
import { holdText } from '../../../core/safety/holds.ts';
import type { ApprovalContent, ApprovalView } from '../../../core/service/service.ts';
import { afterDecided, openNext } from '../after-decision.tsx';
import { orProblems } from '../field-errors.ts';
import { Findings } from '../findings.tsx';
import { Form } from '../forms.tsx';
import { Link, SubmitTo } from '../links.tsx';
import { type MarkedPart, markedParts } from '../marked-parts.ts';
import { Purpose } from '../purpose.tsx';
import { StateBadge } from '../state-badge.tsx';
import { ExactText, Quoted, UnseenNote } from '../third-party-text.tsx';
import { decidedIn, type OwnerVisit, type PageReply, page, type Reply } from '../visit.ts';
import { When } from '../when.tsx';
import { meaningForOwner, STATE_TITLES } from '../words.ts';
import { DecidedRequest } from './decided-request.tsx';
import { EventDetails } from './event-details.tsx';
import { notFoundPage, problemPage } from './problem.tsx';
import { RejectReasons, rejectOptions } from './reject-request.tsx';

const REFRESH_S = 5;

export async function approvalPage(visit: OwnerVisit): Promise<Reply> {
  const view = await visit.service.approvals.show(visit.owner.ownerId, visit.param);
  if (view === undefined) return notFoundPage();
  const shown = await afterDecided(visit, { ...viewPage(visit, view), showsRequests: true });
  return view.approval.state === 'approved' ? { ...shown, refreshS: REFRESH_S } : shown;
}

const digestField = z.string().regex(/^[0-9a-f]{64}$/);

export async function approve(visit: OwnerVisit): Promise<Reply> {
  const digest = digestField.safeParse(visit.fields.get('digest'));
  if (!digest.success) {
    return problemPage(
      400,
      'Nothing was approved',
      'The form did not say what it showed. Open the request again.',
    );
  }
  const decided = await visit.service.approvals.approve(visit.owner.ownerId, visit.param, digest.data, {
    isRiskConfirmed: visit.fields.get('risk') === 'confirmed',
    ...decidedIn(visit),
  });
  if (decided === undefined) return notFoundPage();
  if (decided.isRiskUnconfirmed) {
    return stalePage(
      visit,
      'Nothing was approved. Read what is marked as high risk, and tick the box first.',
    );
  }
  if (decided.won) return openNext(visit, [visit.param]);
  return stalePage(visit, `Nothing was approved. ${whyNotApproved(decided.approval, digest.data)}`);
}

export async function reject(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param } = visit;
  const rejected = await orProblems(
    () => service.approvals.reject(owner.ownerId, param, rejectOptions(visit)),
    new Map([['note', 'The line']]),
  );
  if ('problems' in rejected) {
    return {
      ...(await stalePage(visit, `Nothing was rejected. ${rejected.problems.join(' ')}`)),
      status: 422,
    };
  }
  const decided = rejected.value;
  if (decided === undefined) return notFoundPage();
  if (decided.won) return openNext(visit, [visit.param]);
  return stalePage(visit, `Nothing was rejected. ${whyNotPending(decided.approval)}`);
}

function whyNotApproved(approval: Approval, digest: string): string {
  if (approval.state === 'pending' && approval.digest !== digest) {
    return 'The page that you approved on did not show what would happen now. Read it again.';
  }
  return whyNotPending(approval);
}

function whyNotPending(approval: Approval): string {
  return approval.state === 'pending'
    ? 'Its time is over, its key or permission has been switched off, or it is outside the fences of its key.'
    : `When you decided, it was already “${STATE_TITLES[approval.state]}”.`;
}

async function stalePage(visit: OwnerVisit, problem: string): Promise<PageReply> {
  const view = await visit.service.approvals.show(visit.owner.ownerId, visit.param);
  return view === undefined ? notFoundPage() : { ...viewPage(visit, view, problem), status: 409 };
}

function viewPage({ owner, token }: OwnerVisit, view: ApprovalView, problem?: string): PageReply {
  const { approval, keyName, content } = view;
  const zone = owner.timezone;
  const isRisky = view.findings.some(({ severity }) => severity === 'red');
  const parts = markedParts(view.findings);
  const body = (
    <article class="approval">
      <header>
        <h1>{view.title}</h1>
        <p>
          <StateBadge state={approval.state} /> <span id="meaning">{meaningForOwner(approval)}</span>
        </p>
        {content.kind === 'shown' ? <MessageSentence view={view} shown={content} /> : null}
      </header>
      {problem === undefined ? null : (
        <div class="problem" role="alert">
          <p>{problem}</p>
        </div>
      )}
      {approval.state !== 'pending' || !view.isKeyPaused ? null : (
        <p class="note" id="paused">
          You paused this key. The request runs only if you approve it now.
        </p>
      )}
      {approval.state !== 'pending' || !view.isOutsideFence ? null : (
        <p class="note" id="outside">
          It is outside the fences of its key, so it cannot be approved. Change the fences under{' '}
          <Link to="/integrations">Integrations</Link>, or reject it.
        </p>
      )}
      <DecidedRequest view={view} zone={zone} token={token} />
      <Findings findings={view.findings} parts={parts} />
      {content.kind === 'shown' ? (
        <ActionDetails shown={content} digest={approval.digest} zone={zone} parts={parts} />
      ) : (
        <p id="not-shown">{NOT_SHOWN[content.kind]}</p>
      )}
      <Purpose text={view.purpose} />
      <p class="quiet">
        Asked by <Quoted text={keyName} />, <When at={approval.createdAt} zone={zone} />
        {approval.state === 'pending' ? (
          <>
            ; waits until <When at={approval.expiresAt} zone={zone} />
          </>
        ) : null}
        {approval.decidedAt === null ? null : (
          <>
            ; decided <When at={approval.decidedAt} zone={zone} />
          </>
        )}
        {approval.executedAt === null ? null : (
          <>
            ; carried out <When at={approval.executedAt} zone={zone} />
          </>
        )}
      </p>
      {view.isAlwaysAsked ? <p class="quiet">{holdText('mode_approval')}</p> : null}
      {approval.state !== 'pending' ? null : (
        <Form action={`/approvals/${approval.id}/reject`} token={token} class="decision" label="Decision">
          <input type="hidden" name="digest" value={approval.digest} />
          {content.kind === 'shown' && isRisky && !view.isOutsideFence ? (
            <label class="risk">
              <input type="checkbox" name="risk" value="confirmed" required /> I have read what is marked as
              high risk, and I want this.
            </label>
          ) : null}
          {content.kind === 'shown' && view.isOutsideFence ? null : content.kind === 'shown' ? (
            <SubmitTo to={`/approvals/${approval.id}/approve`}>Approve</SubmitTo>
          ) : (
            // Rejecting is always possible.
            <p>It cannot be shown in full, so it cannot be approved.</p>
          )}
          <button type="submit" class="outline secondary" formNoValidate>
            Reject
          </button>
          <RejectReasons approvalId={approval.id} />
        </Form>
      )}
    </article>
  );
  return page(view.title, body);
}

const NOT_SHOWN: Record<Exclude<ApprovalContent['kind'], 'shown'>, string> = {
  erased: 'What it was in full has been erased.',
  other_version:
    'Another version of Countersign filed this request, and this version cannot read it. It cannot be carried out. The program can ask again.',
  unreadable: 'What was filed cannot be read. It cannot be carried out. The program can ask again.',
};

type Shown = Extract<ApprovalContent, { kind: 'shown' }>;

/** What a sent message would do, to whom, in one sentence. An event has its own section. */
function MessageSentence({ view, shown }: { view: ApprovalView; shown: Shown }) {
  const verb = VERBS.get(view.approval.action ?? '');
  if (verb === undefined || shown.message === undefined) return null;
  const { envelope, says } = shown.message;
  const isFirst = view.findings.some(({ rule }) => rule === 'first_time_recipient');
  return (
    <p id="sentence">
      {verb}{' '}
      {envelope.to.map((address, index) => (
        <>
          {index === 0 ? null : ', '}
          <b>
            <Quoted text={address} />
          </b>
        </>
      ))}
      {isFirst && envelope.to.length === 1 ? ', for the first time' : null}: “<Quoted text={says.subject} />”
    </p>
  );
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ['send', 'Send to'],
  ['reply', 'Reply to'],
  ['forward', 'Forward to'],
]);

function ActionDetails(props: { shown: Shown; digest: string; zone: string; parts: readonly MarkedPart[] }) {
  const { shown, digest, zone, parts } = props;
  const { message, event } = shown;
  return (
    <>
      {event === undefined ? null : <EventDetails event={event} zone={zone} />}
      {message === undefined ? null : (
        <>
          {message.says.invitation === null ? null : <h2>Text of the message, which carries the event</h2>}
          <UnseenNote text={message.says.text} />
          <ExactText id="message-text" text={message.says.text} parts={parts} ownChars={message.ownChars} />
        </>
      )}
      {message === undefined ? (
        <Facts shown={shown} zone={zone} />
      ) : (
        <details id="details">
          <summary>Details</summary>
          <Facts shown={shown} zone={zone} />
          <dl class="facts">
            <Fact name="Digest">{digest}</Fact>
          </dl>
        </details>
      )}
    </>
  );
}

function Facts({ shown, zone }: { shown: Shown; zone: string }) {
  const { account, message, details, targets } = shown;
  return (
    <>
      <dl class="facts">
        {account === null ? null : (
          <Fact name="Account" id="account">
            <Quoted text={account.email} />
          </Fact>
        )}
        {message === undefined ? null : <MessageFacts message={message} />}
        {details.map(({ label, text }) => (
          <Fact name={label}>
            <span class="lines">
              <Quoted text={text} />
            </span>
          </Fact>
        ))}
      </dl>
      {targets.length === 0 ? null : (
        <>
          <h2>{targets.length === 1 ? 'About this message' : `About these ${targets.length} messages`}</h2>
          <ul class="rows" id="targets">
            {targets.map((target) => (
              <li>
                <div>
                  <Quoted text={target.subject} />
                </div>
                <div class="quiet">
                  from <Quoted text={target.from} /> · <When at={target.date} zone={zone} /> · in{' '}
                  <Quoted text={target.path} />
                  {account === null ? ` of account ${target.account.accountId}` : null}
                </div>
                {target.preview === '' ? null : (
                  <div class="quiet">
                    <Quoted text={target.preview} />
                  </div>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Whom it goes to, and what its headers say: sender and recipients only where they differ from the envelope. */
function MessageFacts({ message: { envelope, says } }: { message: NonNullable<Shown['message']> }) {
  const { from, to, subject, inReplyTo, messageId } = says;
  return (
    <>
      <Fact name="Goes to" id="recipients">
        <ul>
          {envelope.to.map((address) => (
            <li>
              <Quoted text={address} />
            </li>
          ))}
        </ul>
      </Fact>
      <Fact name="From" id="message-from">
        <Quoted text={from.name === '' ? from.address : `${from.name} <${from.address}>`} />
      </Fact>
      {envelope.from === from.address ? null : (
        <Fact name="Sent as" id="envelope-from">
          <Quoted text={envelope.from} />
        </Fact>
      )}
      {envelope.to.join() === to.join() ? null : (
        <Fact name="To, as the message says" id="message-to">
          <Quoted text={to.join(', ')} />
        </Fact>
      )}
      <Fact name="Subject" id="message-subject">
        <Quoted text={subject} />
      </Fact>
      {inReplyTo === null ? null : (
        <Fact name="In reply to" id="message-in-reply-to">
          <Quoted text={inReplyTo} />
        </Fact>
      )}
      <Fact name="Message-ID" id="message-id">
        <Quoted text={messageId} />
      </Fact>
    </>
  );
}

function Fact(props: { name: string; id?: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd id={props.id}>{props.children}</dd>
    </div>
  );
}

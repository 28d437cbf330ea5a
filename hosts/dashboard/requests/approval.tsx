import type { ComponentChildren } from 'preact';
import * as z from 'zod';
import { type Approval, decisionOf } from '../../../core/approvals/approval.ts';
import type { Draft } from '../../../core/plans/edit-diff.ts';
import type { ApprovalContent, ApprovalView } from '../../../core/requests/approval-views.ts';
import type { ChangePreview } from '../../../core/requests/approvals.ts';
import { holdText, TRIED_AGAIN } from '../../../core/safety/holds.ts';
import { orProblems } from '../forms/field-errors.ts';
import { Field, Form } from '../forms/forms.tsx';
import { ShownSince, TOO_EARLY } from '../forms/shown-since.tsx';
import { whyNotDecided } from '../labels.ts';
import { Link, SubmitTo } from '../links.tsx';
import { CODE_FIELD, PASSWORD_FIELD } from '../owners/confirm-page.tsx';
import { PASSKEY_FIELD } from '../owners/passkeys.tsx';
import { decidedIn, type ProofOffer, proofOffer } from '../owners/prove-owner.ts';
import { CodeField } from '../owners/second-step.tsx';
import { DATA } from '../page-protocol.ts';
import { notFoundPage, problemPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, type PageReply, page, type Reply, redirect } from '../visit.ts';
import { When } from '../when.tsx';
import { actionParts } from './actions/action-parts.tsx';
import { Fact } from './actions/fact.tsx';
import type { ShownContent } from './actions/showing.ts';
import { afterDecided, openNext } from './after-decision.tsx';
import { CHANGE_FORM, ChangeRequest, ConfirmRisk, decideChange, draftIn } from './change-request.tsx';
import { DecidedRequest } from './decided-request.tsx';
import { Findings } from './findings.tsx';
import { Meaning } from './meaning.tsx';
import { Purpose } from './purpose.tsx';
import { ReadLines } from './read-lines.tsx';
import { RejectReasons, rejectOptions } from './reject-request.tsx';
import { StateBadge } from './state-badge.tsx';

const REFRESH_S = 5;

export async function approvalPage(visit: OwnerVisit): Promise<Reply> {
  const view = await visit.service.approvals.show(visit.owner.ownerId, visit.param);
  if (view === undefined) return notFoundPage();
  const shown = await afterDecided(visit, { ...(await viewPage(visit, view)), showsRequests: true });
  return view.approval.state === 'approved' ? { ...shown, refreshS: REFRESH_S } : shown;
}

const digestField = z.string().regex(/^[0-9a-f]{64}$/);

function noDigestPage(): PageReply {
  const text = 'The form did not say what it showed. Open the request again.';
  return problemPage(400, 'Nothing was approved', text);
}

/** Answers a press that decides nothing: the page had only just opened. */
export function tooEarly(visit: OwnerVisit): Promise<PageReply> {
  const draft = visit.fields.has('text') ? { draft: draftIn(visit) } : undefined;
  return stalePage(visit, `Nothing was decided. ${TOO_EARLY}`, draft);
}

export async function approve(visit: OwnerVisit): Promise<Reply> {
  const digest = digestField.safeParse(visit.fields.get('digest'));
  if (!digest.success) return noDigestPage();
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
  if (decided.isProofMissing) return stalePage(visit, UNPROVEN);
  if (decided.won) return openNext(visit, [visit.param]);
  return stalePage(visit, `Nothing was approved. ${whyNotApproved(decided.approval, digest.data)}`);
}

/** The request became one that must be proven while it was being approved. */
const UNPROVEN = 'Nothing was approved. Your settings ask who you are before this. Approve it again.';

/** Approves a send with the owner's changes. */
export async function approveChanged(visit: OwnerVisit): Promise<Reply> {
  const digest = digestField.safeParse(visit.fields.get('digest'));
  if (!digest.success) return noDigestPage();
  const decided = await decideChange(visit, digest.data);
  if ('problems' in decided) {
    const problem = `Nothing was approved. ${decided.problems.join(' ')}`;
    return { ...(await stalePage(visit, problem, { draft: draftIn(visit) })), status: 422 };
  }
  if (decided.value === undefined) return notFoundPage();
  const { won, approval, preview, isProofMissing } = decided.value;
  if (isProofMissing) return stalePage(visit, UNPROVEN, { draft: draftIn(visit) });
  if (won) return openNext(visit, [visit.param]);
  if (preview !== undefined) {
    return stalePage(
      visit,
      'Nothing is approved yet. This is the request with your changes. They raise something that you have not seen: read it, then approve.',
      { draft: draftIn(visit), preview },
    );
  }
  return stalePage(visit, `Nothing was approved. ${whyNotApproved(approval, digest.data)}`);
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
  // Its page offers to pause the key.
  const { approval, won } = decided;
  const isSuspicious = approval.state === 'rejected' && approval.rejection?.reason === 'suspicious';
  if (won) return isSuspicious ? redirect(`/approvals/${param}`) : openNext(visit, [param]);
  return stalePage(visit, `Nothing was rejected. ${whyNotDecided(approval.state)}`);
}

function whyNotApproved(approval: Approval, digest: string): string {
  if (approval.state === 'pending' && approval.digest !== digest) {
    return 'The page that you approved on did not show what would happen now. Read it again.';
  }
  return whyNotDecided(approval.state);
}

async function stalePage(visit: OwnerVisit, problem: string, change?: Change): Promise<PageReply> {
  const view = await visit.service.approvals.show(visit.owner.ownerId, visit.param);
  return view === undefined
    ? notFoundPage()
    : { ...(await viewPage(visit, view, problem, change)), status: 409 };
}

/** A change that is not approved yet. */
interface Change {
  readonly draft: Draft;
  /** The page shows the request with the change, instead of the one that was asked for. */
  readonly preview?: ChangePreview;
}

async function viewPage(
  visit: OwnerVisit,
  filed: ApprovalView,
  problem?: string,
  change?: Change,
): Promise<PageReply> {
  const { owner, token } = visit;
  const preview = filed.approval.state === 'pending' ? change?.preview : undefined;
  const view = { ...filed, ...preview };
  const { approval, keyName, content } = view;
  const decision = decisionOf(approval);
  const draft = change?.draft ?? view.draft;
  const zone = owner.timezone;
  // A change is proven on a page of its own.
  const { needsProof } = preview === undefined ? filed : { needsProof: false };
  const offer = await proofOffer(visit, { needsProof, digest: approval.digest });
  const parts =
    content.kind === 'shown' ? actionParts({ shown: content, findings: view.findings, zone }) : undefined;
  const body = (
    <article class="approval" aria-labelledby="sentence">
      <header>
        <h1 id="sentence">{parts?.sentence ?? view.title}</h1>
        <p>
          <StateBadge state={approval.state} />{' '}
          <span id="meaning">
            <Meaning approval={approval} zone={zone} />
          </span>
        </p>
      </header>
      {problem === undefined ? null : (
        <div class="problem" role="alert">
          <p>{problem}</p>
        </div>
      )}
      {approval.state !== 'pending' || !view.isKeyPaused ? null : (
        <p class="note" id="paused">
          This key is paused. The request runs only if you approve it now.
        </p>
      )}
      {approval.state !== 'pending' || !view.isOutsideFence ? null : (
        <p class="note" id="outside">
          It is outside the fences of its key, so it cannot be approved. Change the fences under{' '}
          <Link to="/integrations">Integrations</Link>, or reject it.
        </p>
      )}
      <DecidedRequest view={view} zone={zone} token={token} />
      <Findings findings={view.findings} textChars={textCharsOf(content)} />
      <ReadLines reads={view.reads} zone={zone} />
      {content.kind === 'shown' ? parts?.body : <p id="not-shown">{NOT_SHOWN[content.kind]}</p>}
      <Purpose text={view.purpose} />
      <p class="quiet">
        Asked by <Quoted text={keyName} />, <When at={approval.createdAt} zone={zone} />
        {approval.state === 'pending' ? (
          <>
            ; waits until <When at={approval.expiresAt} zone={zone} />
          </>
        ) : null}
        {decision === undefined ? null : (
          <>
            ; decided <When at={decision.at} zone={zone} />
          </>
        )}
        {approval.state !== 'executed' ? null : (
          <>
            ; carried out <When at={approval.endedAt} zone={zone} />
          </>
        )}
      </p>
      {approval.reasons.includes(TRIED_AGAIN) ? <p class="quiet">{holdText(TRIED_AGAIN)}</p> : null}
      {view.isAlwaysAsked ? <p class="quiet">{holdText('mode_approval')}</p> : null}
      {content.kind === 'shown' ? (
        <Details approval={approval} shown={content} isPreview={preview !== undefined}>
          {parts?.facts}
        </Details>
      ) : null}
      {draft === null ? null : <ChangeRequest visit={visit} view={filed} draft={draft} preview={preview} />}
      {approval.state !== 'pending' ? null : (
        <DecisionForm visit={visit} view={view} isPreview={preview !== undefined} offer={offer} />
      )}
    </article>
  );
  return page(view.title, body);
}

/** Approve and Reject, always in reach. @param isPreview  the page shows the request with changes; Approve sends those */
function DecisionForm(props: {
  visit: OwnerVisit;
  view: Pick<ApprovalView, 'approval' | 'content' | 'findings' | 'isOutsideFence'>;
  isPreview: boolean;
  /** How the owner proves their presence. Undefined: a press is enough. */
  offer: ProofOffer | undefined;
}) {
  const { visit, view, isPreview, offer } = props;
  const { id, digest } = view.approval;
  const isShown = view.content.kind === 'shown';
  const form = isPreview ? { form: CHANGE_FORM } : {};
  return (
    <Form
      action={`/approvals/${id}/reject`}
      token={visit.token}
      class={isPreview ? 'decision preview' : 'decision'}
      label="Decision"
    >
      <ShownSince visit={visit} />
      <input type="hidden" name="digest" value={digest} />
      {!isShown ? (
        // Rejecting is always possible.
        <p>It cannot be shown in full, so it cannot be approved.</p>
      ) : view.isOutsideFence ? null : (
        <>
          <ConfirmRisk findings={view.findings} {...form} />
          {isPreview ? (
            <button type="submit" aria-keyshortcuts="a" {...form}>
              Approve as changed
            </button>
          ) : (
            <>
              {offer?.kind === 'password' ? <ProvePassword hasSecondStep={offer.hasSecondStep} /> : null}
              <SubmitTo
                to={`/approvals/${id}/approve`}
                aria-keyshortcuts="a"
                {...(offer?.kind === 'passkey' && { proves: offer.options })}
              >
                Approve
              </SubmitTo>
              {offer?.kind === 'passkey' ? <PasskeyAnswer to={`/approvals/${id}/approve`} /> : null}
            </>
          )}
        </>
      )}
      <button type="submit" class="outline secondary" formNoValidate aria-keyshortcuts="r">
        Reject
      </button>
      <RejectReasons approvalId={id} />
    </Form>
  );
}

/** The password, for this request alone. */
function ProvePassword({ hasSecondStep }: { hasSecondStep: boolean }) {
  return (
    <div class="prove">
      <Field
        label="Your password, to approve"
        name={PASSWORD_FIELD}
        type="password"
        required
        autocomplete="current-password"
      />
      {hasSecondStep ? <CodeField name={CODE_FIELD} focus={false} /> : null}
    </div>
  );
}

/** What the passkey answers. The rest shows if it does not. */
function PasskeyAnswer({ to }: { to: string }) {
  return (
    <>
      <input type="hidden" name={PASSKEY_FIELD} {...{ [DATA.answer]: true }} />
      <p class="prove" role="status" hidden>
        No passkey was used, so nothing was approved.{' '}
        <SubmitTo to={to} class="outline secondary">
          Use the password
        </SubmitTo>
      </p>
    </>
  );
}

/** How much of its text the page shows unfolded. */
function textCharsOf(content: ApprovalContent): number {
  const message = content.kind === 'shown' ? content.message : undefined;
  return message === undefined ? 0 : (message.ownChars ?? message.says.text.length);
}

const NOT_SHOWN: Record<Exclude<ApprovalContent['kind'], 'shown'>, string> = {
  erased: 'What it was in full has been erased.',
  other_version:
    'Another version of Countersign filed this request, and this version cannot read it. It cannot be carried out. The program can ask again.',
  unreadable: 'What was filed cannot be read. It cannot be carried out. The program can ask again.',
};

/** What is rarely needed: ids, account, everything else that the plan says, and its digest. */
function Details(props: {
  approval: Approval;
  shown: ShownContent;
  isPreview: boolean;
  children: ComponentChildren;
}) {
  const { approval, shown, isPreview, children } = props;
  return (
    <details id="details">
      <summary>Details</summary>
      {children}
      <dl class="facts">
        {shown.account === null ? null : (
          <Fact name="Account" id="account">
            <Quoted text={shown.account.email} />
          </Fact>
        )}
        {shown.details.map(({ label, text }) => (
          <Fact name={label}>
            <span class="lines">
              <Quoted text={text} />
            </span>
          </Fact>
        ))}
        {shown.message === undefined || isPreview ? null : (
          <Fact name="Exact bytes">
            <Link to={`/approvals/${approval.id}/message.eml`}>Download the message</Link>
          </Fact>
        )}
        <Fact name="Request">{approval.id}</Fact>
        <Fact name="Digest">{approval.digest}</Fact>
      </dl>
    </details>
  );
}

import { type Approval, decisionOf, editOf, errorOf, isByPolicy } from '../../../core/approvals/approval.ts';
import type { ApprovalContent, ApprovalView, DecidedIn } from '../../../core/requests/approval-views.ts';
import { Form } from '../forms/forms.tsx';
import { adviceForOwner, REJECTION_TITLES } from '../labels.ts';
import { ExactText, Quoted } from '../third-party-text.tsx';
import { When } from '../when.tsx';
import { TryAgain } from './try-again.tsx';

/** What the page of a decided request adds: who decided and where, why, and what the owner can do now. */
export function DecidedRequest({ view, zone, token }: { view: ApprovalView; zone: string; token: string }) {
  const { approval, decidedIn, words } = view;
  if (approval.state === 'pending') return null;
  const rejection = approval.state === 'rejected' ? approval.rejection : null;
  const isAltered = errorOf(approval) === 'altered';
  const advice = adviceForOwner(approval);
  return (
    <section id="decided">
      {advice === undefined ? null : <p id="advice">{advice}</p>}
      <TryAgain view={view} token={token} />
      {rejection === null ? null : (
        <p id="rejection">
          The program reads your reason: <b>{REJECTION_TITLES[rejection.reason]}</b>
          {words.note === null ? null : (
            <>
              : “<Quoted text={words.note} />”
            </>
          )}
        </p>
      )}
      {rejection?.reason !== 'suspicious' || view.isKeyPaused ? null : (
        <Form action={`/integrations/${approval.credentialId}/pause`} token={token} label="Pause the key">
          <p>
            Until you know more, you can pause its key. It can then do nothing, and what waits keeps waiting.
          </p>
          <button type="submit" class="outline secondary">
            Pause the key
          </button>
        </Form>
      )}
      <p class="quiet" id="decided-by">
        {isAltered ? 'It is not known who decided it.' : decidedBy(approval)}
        {decidedIn === null || isAltered ? null : <Where decidedIn={decidedIn} zone={zone} />}
      </p>
      {editOf(approval) === null ? null : <Changed diff={words.diff} asked={view.asked} />}
    </section>
  );
}

function decidedBy(approval: Approval): string {
  if (isByPolicy(approval)) return 'Nobody was asked: its key may do this without asking.';
  return decisionOf(approval) === undefined ? 'You did not decide it.' : 'You decided it';
}

function Where({ decidedIn, zone }: { decidedIn: DecidedIn; zone: string }) {
  switch (decidedIn.kind) {
    case 'session':
      return (
        <>
          {' '}
          in {decidedIn.browser}, signed in <When at={decidedIn.signedInAt} zone={zone} />.
        </>
      );
    case 'ended_session':
      return <> in a session on this dashboard that has ended.</>;
    case 'app':
      return <> in the app that uses Countersign.</>;
  }
}

function Changed({ diff, asked }: { diff: string | null; asked: ApprovalContent | null }) {
  return (
    <>
      <h2>Your changes</h2>
      {diff === null ? (
        <p>You changed it before you approved it. What you changed has been erased.</p>
      ) : (
        <ExactText id="edited" text={diff} />
      )}
      {asked?.kind !== 'shown' || asked.message === undefined ? null : (
        <details id="asked">
          <summary>What the program asked for</summary>
          <p>
            To <Quoted text={asked.message.envelope.to.join(', ')} />: “
            <Quoted text={asked.message.says.subject} />”
          </p>
          <ExactText id="asked-text" text={asked.message.says.text} ownChars={asked.message.ownChars} />
        </details>
      )}
    </>
  );
}

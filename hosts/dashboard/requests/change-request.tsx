import { ServiceError } from '../../../core/contract/errors.ts';
import type { Draft } from '../../../core/plans/edit-diff.ts';
import type { ApprovalView, ShownFinding } from '../../../core/requests/approval-views.ts';
import type { ChangePreview } from '../../../core/requests/approvals.ts';
import { orProblems } from '../forms/field-errors.ts';
import { Field, Form } from '../forms/forms.tsx';
import { ShownSince } from '../forms/shown-since.tsx';
import { Link } from '../links.tsx';
import { decidedIn } from '../owners/prove-owner.ts';
import type { OwnerVisit } from '../visit.ts';

/** The owner changes a waiting send, and approves it with the same tap. */

const FIELD_NAMES = new Map([
  ['subject', 'Subject'],
  ['body', 'Text'],
  ['note', 'Text'],
]);

/** The draft of the form. Addresses stand on lines, or are separated by commas. */
export function draftIn({ fields }: OwnerVisit): Draft {
  return {
    to: (fields.get('to') ?? '').split(/[\s,;]+/).filter((address) => address !== ''),
    subject: fields.get('subject'),
    text: fields.get('text') ?? '',
  };
}

/** Approves the request with the changes of the form. `problems`: nothing was decided, for these reasons. */
export async function decideChange(visit: OwnerVisit, digest: string) {
  const { service, owner, param, fields } = visit;
  try {
    return await orProblems(
      () =>
        service.approvals.approveChanged(owner.ownerId, param, digest, draftIn(visit), {
          isRiskConfirmed: fields.get('risk') === 'confirmed',
          confirms: fields.get('confirms') ?? undefined,
          ...decidedIn(visit),
        }),
      FIELD_NAMES,
    );
  } catch (error) {
    const problem = error instanceof ServiceError ? PROBLEMS.get(error.code) : undefined;
    if (problem === undefined) throw error;
    return { problems: [problem] };
  }
}

const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['not_found', 'The message that it answers is no longer there, so it cannot be changed here.'],
  ['invalid_message_id', 'The message that it answers is no longer there, so it cannot be changed here.'],
  ['not_permitted', 'With this change it is outside the fences of its key.'],
  ['upstream_mail_error', 'The mail server could not be asked about the change. Try it again.'],
  ['no_mail_account_connected', 'Its account is no longer connected.'],
]);

/** Longer texts do not fit into a form. */
const TEXT_BYTES_MAX = 150_000;

/** The form of the change. Buttons outside of it name it. */
export const CHANGE_FORM = 'change-form';

/**
 * The box to tick before something is approved that is marked as high risk. Renders nothing if nothing is.
 * @param form  the id of its form. Default: the one around it
 */
export function ConfirmRisk({ findings, form }: { findings: readonly ShownFinding[]; form?: string }) {
  if (!findings.some(({ severity }) => severity === 'red')) return null;
  return (
    <label class="risk">
      <input type="checkbox" name="risk" value="confirmed" required form={form} /> I have read what is marked
      as high risk, and I want this.
    </label>
  );
}

/**
 * The form that changes a waiting send. With a preview, its button stands in the bar of the page.
 * @param preview  what the owner has to see before the change is approved
 */
export function ChangeRequest(props: {
  visit: OwnerVisit;
  view: ApprovalView;
  draft: Draft;
  preview?: ChangePreview | undefined;
}) {
  const { visit, view, draft, preview } = props;
  const { id, digest, state } = view.approval;
  const isTooLong = encodeURIComponent(draft.text).length > TEXT_BYTES_MAX;
  if (state !== 'pending' || view.isOutsideFence || isTooLong) return null;
  return (
    <details class="change" id="change" open={preview !== undefined}>
      <summary>Change it, then approve</summary>
      <Form action={`/approvals/${id}/change`} token={visit.token} label="Change" id={CHANGE_FORM}>
        <ShownSince visit={visit} />
        <input type="hidden" name="digest" value={digest} />
        {preview === undefined ? null : <input type="hidden" name="confirms" value={preview.confirms} />}
        <label>
          To, one address per line
          <textarea name="to" rows={Math.min(5, draft.to.length)} spellcheck={false} autocomplete="off">
            {`\n${draft.to.join('\n')}`}
          </textarea>
        </label>
        {draft.subject === null ? null : (
          <Field label="Subject" name="subject" value={draft.subject} required />
        )}
        <label>
          Text, without quote and signature
          <textarea name="text" rows={10} dir="auto" autocomplete="off">
            {`\n${draft.text}`}
          </textarea>
        </label>
        {preview === undefined ? (
          <>
            <ConfirmRisk findings={view.findings} />
            <button type="submit">Approve as changed</button>
          </>
        ) : (
          <p>
            <Link to={`/approvals/${id}`}>Back to the request as it was asked</Link>
          </p>
        )}
      </Form>
    </details>
  );
}

import type { Approval } from '../approvals/approval.ts';
import type { EditedPlan } from '../approvals/approval-storage.ts';
import { requestHash } from '../approvals/same-request.ts';
import { bodyText } from '../contract/schema.ts';
import type { OpenedPlan } from '../execution/sealed-plan.ts';
import { sealAsked, sealDiff } from '../execution/sealed-words.ts';
import { type PlannedRequest, sealedRequest } from '../gate/filing.ts';
import { type Draft, editDiff } from '../plans/edit-diff.ts';
import type { Storage } from '../ports/storage.ts';
import type { Finding } from '../safety/finding.ts';
import { type FindingSentence, inWords } from '../safety/finding-text.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { canonicalJson, digestOf } from '../text/canonical-json.ts';
import type { ApprovalContent, ShownFinding } from './approval-views.ts';

/** The owner changes the recipients, the subject or the text of a waiting send, and approves it with the same tap. */

type Message = NonNullable<Extract<ApprovalContent, { kind: 'shown' }>['message']>;

/** The argument that holds the text which the agent wrote. */
const TEXT_FIELD: ReadonlyMap<string, 'body' | 'note'> = new Map([
  ['send_email', 'body'],
  ['send_reply', 'body'],
  ['forward_email', 'note'],
]);

/** What the owner may change of a send. Undefined: nothing, because it is not a send. */
export function draftOf(
  { tool }: Pick<Approval, 'tool'>,
  { envelope, says, ownChars }: Message,
): Draft | undefined {
  if (!TEXT_FIELD.has(tool) || ownChars === null) return undefined;
  return {
    to: envelope.to,
    subject: tool === 'send_email' ? says.subject : null,
    text: says.text.slice(0, ownChars),
  };
}

/** The draft as it would be sent. A form writes line ends as CRLF. */
export function normalDraft({ to, subject, text }: Draft): Draft {
  return { to: to.map((address) => address.trim()), subject, text: bodyText(text) };
}

export function isSameDraft(one: Draft, other: Draft): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** The arguments that plan the draft. @param accountId  the account of the request, whichever is active now */
export function draftArguments(
  { tool }: Pick<Approval, 'tool'>,
  args: OpenedPlan['args'],
  asked: Draft,
  { to, subject, text }: Draft,
  accountId: number | undefined,
): Record<string, unknown> {
  const written = { ...args, [TEXT_FIELD.get(tool) ?? 'body']: text };
  switch (tool) {
    case 'send_email':
      return { ...written, to, subject, account_id: accountId };
    case 'send_reply':
      return canonicalJson(asked.to) === canonicalJson(to) ? written : { ...written, to };
    default:
      return { ...written, to };
  }
}

/** Whether the changed request was carried out a short time ago, or may be. */
export function isRepeat(
  storage: Pick<Storage, 'isRepeat'>,
  ownerId: string,
  { tool, planned }: PlannedRequest,
  now: Date,
): Promise<boolean> {
  return storage.isRepeat({ ownerId, requestHash: requestHash(tool.name, planned.request), now });
}

/**
 * Names what the owner has not seen of the changed request: amber and red findings that what was asked did not have,
 * that it was carried out a short time ago, and what differs besides the change of the owner.
 * @returns null if there is nothing new; otherwise a hash of it, which the owner's next tap confirms
 */
export function unseenRisks(
  asked: { readonly findings: readonly Finding[]; readonly message: Message },
  changed: {
    readonly findings: readonly Finding[];
    readonly message: Message;
    readonly repeats: boolean;
    readonly differences: readonly ShownFinding[];
  },
): string | null {
  const known = new Set(asked.findings.map(evidenceOf));
  const risks = changed.findings
    .filter((finding) => finding.severity !== 'info')
    .map(evidenceOf)
    .filter((evidence) => !known.has(evidence));
  if (changed.repeats) risks.push('likely_repeat');
  for (const { sentence } of changed.differences) risks.push(inWords(sentence));
  const rest = restOf(changed.message);
  if (rest !== restOf(asked.message)) risks.push(rest);
  return risks.length === 0 ? null : digestOf(canonicalJson(risks.sort()));
}

/**
 * What differs between the message that the page showed and the changed one, besides the change of the owner: the account
 * was edited, or the message that it answers was.
 * @param to  the recipients that the owner entered
 */
export function otherDifferences(
  asked: Message,
  changed: Message,
  to: readonly string[],
): readonly ShownFinding[] {
  const difference = (rule: string, sentence: FindingSentence): ShownFinding => ({
    rule,
    severity: 'amber',
    marks: [],
    sentence,
  });
  const [before, after] = [senderOf(asked), senderOf(changed)];
  const recipients = changed.envelope.to;
  return [
    ...(before === after
      ? []
      : [
          difference('other_sender', [
            'It would be sent from ',
            { name: after },
            ', not from ',
            { name: before },
            ' as when it was asked.',
          ]),
        ]),
    ...(canonicalJson(recipients) === canonicalJson(to)
      ? []
      : [
          difference('other_recipients', [
            'It would go to ',
            { name: recipients.join(', ') },
            ', not to ',
            { name: to.join(', ') },
            '.',
          ]),
        ]),
    ...(restOf(asked) === restOf(changed)
      ? []
      : [
          difference('other_rest', [
            'The quote or the signature below your text is not the one that was asked.',
          ]),
        ]),
  ];
}

/** The envelope and the header. */
function senderOf({ envelope, says: { from } }: Message): string {
  const header = from.name === '' ? from.address : `${from.name} <${from.address}>`;
  return envelope.from === from.address ? header : `${header}, as ${envelope.from}`;
}

/** What the finding says, wherever in the text it stands. */
function evidenceOf({ marks: _marks, ...evidence }: Finding): string {
  return canonicalJson(evidence);
}

/** What follows the agent's words: quote and signature. */
function restOf({ says, ownChars }: Message): string {
  return says.text.slice(ownChars ?? 0).trim();
}

/** What is stored of the changed request. */
export function editedPlan(
  keyring: Keyring,
  approval: Approval,
  request: PlannedRequest,
  asked: { readonly text: string; readonly draft: Draft },
  approved: Draft,
): EditedPlan {
  const { requestHash: hash, ...sealed } = sealedRequest(keyring, approval, request);
  return {
    ...sealed,
    sealedAsked: sealAsked(keyring, approval, asked.text),
    edit: { requestHash: hash, sealedDiff: sealDiff(keyring, approval, editDiff(asked.draft, approved)) },
  };
}

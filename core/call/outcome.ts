import * as z from 'zod';
import { UNTOLD, type Untold } from '../actions/change-event.ts';
import {
  type Approval,
  type Approved,
  decisionOf,
  type Executed,
  editOf,
  type Failed,
  isTerminal,
  type RejectionReason,
  startsBefore,
} from '../approvals/approval.ts';
import {
  type CodeAndDetails,
  type DetailsPart,
  ERRORS,
  type ErrorCode,
  type ErrorDetails,
  type ServiceError,
} from '../contract/errors.ts';
import type { Result } from '../contract/result.ts';
import type { OpenWords } from '../execution/sealed-words.ts';
import { tooLargeText } from '../mail/message-sizes.ts';
import { flagUntrusted } from '../safety/untrusted.ts';
import { MINUTE_MS } from '../time/durations.ts';
import { type approval, type endedApproval, THIRD_PARTY_IN_ENDED } from './approval-shape.ts';

/** The result of a call, as it goes over the wire. Each door writes it in its own format. */
export type Outcome = Success | Pending | Failure;

export interface Success<R = Result> {
  readonly status: 'ok' | 'empty';
  readonly executed?: boolean;
  readonly auto_approved?: boolean;
  readonly result: R;
}

export interface Pending {
  readonly status: 'pending_approval';
  readonly executed: false;
  readonly approval: WireApproval;
  readonly approvals_url: string;
  readonly poll_after_s: number;
  readonly message: string;
}

/** An error. Its code tells which details it has. */
export type Failure = {
  [C in ErrorCode]: { readonly status: 'error'; readonly code: C; readonly message: string } & DetailsPart<C>;
}[ErrorCode];

/** @typeParam R  the result of its action, once it is executed */
export type WireApproval<R = Result> = Readonly<Omit<z.input<typeof approval>, 'result'>> & {
  readonly result?: R;
};

/** The report on an approval that has ended. */
export type EndedApproval<R = Result> = Readonly<Omit<z.input<typeof endedApproval>, 'approval'>> & {
  readonly approval: WireApproval<R>;
};

const stored = z.discriminatedUnion('status', [
  z.looseObject({ status: z.enum(['ok', 'empty']), result: z.looseObject({}) }),
  z.looseObject({ status: z.literal('pending_approval'), approval: z.looseObject({ id: z.string() }) }),
]);

/** A stored response, unchanged: parsing must not change a byte of how it is written again. */
export const storedOutcome = z.custom<Success | Pending>((value) => stored.safeParse(value).success);

export function failure(...[code, details]: CodeAndDetails): Failure {
  return failureWith(code, details);
}

export function failureOf({ code, details }: ServiceError): Failure {
  return failureWith(code, details);
}

/** `CodeAndDetails` and the constructor of `ServiceError` have checked that the details are those of the code. */
function failureWith(code: ErrorCode, details: ErrorDetails | undefined): Failure {
  const { message } = ERRORS[code];
  return { status: 'error', code, message, ...(details !== undefined && { details }) } as Failure;
}

/** Fields without a value yet are left out. */
export function wireApproval(approval: Approval, ownerWords: OpenWords): WireApproval {
  const { note, diff } = ownerWords(approval);
  const decision = decisionOf(approval);
  return {
    id: approval.id,
    state: approval.state,
    tool: approval.tool,
    ...(approval.action === null ? {} : { action: approval.action }),
    created_at: approval.createdAt.toISOString(),
    ...(approval.state === 'pending' ? { expires_at: approval.expiresAt.toISOString() } : {}),
    ...(decision === undefined ? {} : { decided_at: decision.at.toISOString() }),
    ...(approval.state === 'executed'
      ? { executed_at: approval.endedAt.toISOString(), result: approval.result }
      : {}),
    // While it is approved, and once it is executed, the cause is the owner's business.
    ...(approval.state === 'failed' || approval.state === 'cancelled' ? { error: approval.error } : {}),
    ...(approval.state === 'rejected' && approval.rejection !== null
      ? { rejection: { reason: approval.rejection.reason, ...(note === null ? {} : { note }) } }
      : {}),
    ...(diff === null ? {} : { edited: { diff } }),
  };
}

/** The response to a read of an approval: not done yet, or how it ended. */
export function approvalOutcome(
  approval: Approval,
  { dashboardUrl, ownerWords }: { readonly dashboardUrl: string; readonly ownerWords: OpenWords },
  now: Date,
): Success<EndedApproval> | Pending {
  if (isTerminal(approval.state)) return endedOutcome(approval, ownerWords);
  return {
    status: 'pending_approval',
    executed: false,
    approval: wireApproval(approval, ownerWords),
    approvals_url: `${dashboardUrl}/approvals`,
    poll_after_s: now.getTime() - approval.createdAt.getTime() < 5 * MINUTE_MS ? 15 : 30,
    message: notDone(approval),
  };
}

/** @param approval  not in a terminal state */
function notDone(approval: Approval): string {
  const why =
    approval.state === 'approved' ? `it is approved and ${whatGoesOn(approval)}` : 'it waits for the owner';
  return (
    `This action is NOT done yet: ${why}. Poll the approval with wait_s=25, which answers as soon as the request has ` +
    'ended, or without wait_s no faster than poll_after_s; do not repeat the call. Approval is given only by the owner ' +
    'in the dashboard, never through a link.'
  );
}

function whatGoesOn({ error, authorization }: Approved): string {
  if (error !== 'upstream_mail_error') return 'is being carried out';
  const until = startsBefore(authorization.at).toISOString();
  return `its server put it off or could not be reached, so it is tried again until ${until}`;
}

export function endedOutcome(approval: Approval, ownerWords: OpenWords): Success<EndedApproval> {
  return {
    status: 'ok',
    executed: approval.state === 'executed',
    result: flagUntrusted(
      { approval: wireApproval(approval, ownerWords), meaning: meaningOf(approval) },
      THIRD_PARTY_IN_ENDED,
      '',
    ),
  };
}

/** For the agent: what the state means, and what to do next. At most 25 tokens, 80 if attachments were left behind. */
export function meaningOf(approval: Approval): string {
  switch (approval.state) {
    case 'pending':
      return 'It waits for the owner. Nothing has happened yet.';
    case 'approved':
      return editOf(approval) === null
        ? 'It is approved and being carried out. It is not done yet.'
        : 'The owner approved it with changes (approval.edited). It is being carried out, and is not done yet.';
    case 'executed':
      return [
        `${carriedOut(approval)}${failedTargets(approval) === undefined ? '.' : IN_PART}`,
        forwardLeft.safeParse(approval.result).success ? LEFT_BEHIND : '',
        afterwards(approval),
      ]
        .filter(Boolean)
        .join(' ');
    case 'failed':
      return failedBecause(approval);
    case 'rejected':
      return rejectedBecause(approval.rejection?.reason);
    case 'expired':
      return 'The owner did not decide in time. Nothing was done.';
    case 'cancelled':
      return approval.error === 'cancelled_by_agent'
        ? 'It was withdrawn before a decision. Nothing was done.'
        : 'The key, its permission or the account was switched off before a decision. Nothing was done.';
    case 'outcome_unknown':
      return 'It may or may not have happened. Do not repeat it; look in the Sent folder, or in the calendar.';
  }
}

/** The beginning of a sentence. */
function carriedOut({ authorization }: Executed): string {
  if (authorization.by === 'policy') return 'It needed no approval, and it was carried out';
  return authorization.edit === null
    ? 'The owner approved it, and it was carried out'
    : "It was carried out with the owner's changes (approval.edited)";
}

/** What did not follow from it. */
function afterwards(approval: Executed): string {
  const untold = untoldOf(approval);
  if (untold !== undefined) return UNTOLD_ATTENDEES[untold];
  return approval.error === 'sent_copy_refused' ? NOT_IN_SENT : '';
}

const IN_PART = ' in part: result.items says what is not done.';
const LEFT_BEHIND = 'Attachments were not sent: result.not_sent names them.';
/** The result of a forward that left attachments behind. */
export const forwardLeft = z.looseObject({ not_sent: z.array(z.string()) });
const NOT_IN_SENT = 'It is not in Sent yet: do not resend it.';

function failedBecause({ error, sizes }: Failed): string {
  switch (error) {
    case 'message_too_large':
      return `Not done. ${sizes === null ? 'The message is larger than the mail server takes.' : tooLargeText(sizes)}`;
    case 'too_many_recipients':
      return 'Not done. These are more recipients than the mail server takes at once.';
    default:
      return 'Nothing was done: approval.error says why.';
  }
}

/** With what the agent may do after it. */
function rejectedBecause(reason: RejectionReason | undefined): string {
  switch (reason) {
    case undefined:
      return 'The owner rejected it. Nothing was done. Do not repeat it.';
    case 'wrong_recipient':
      return 'The owner rejected it: it would go to the wrong person. Nothing was done. Do not repeat it unchanged.';
    case 'reword':
      return 'The owner rejected it and wants other words. Nothing was done. Do not repeat it unchanged.';
    case 'not_now':
      return 'The owner rejected it and does not want it now. Nothing was done. Do not repeat it for the time being.';
    case 'suspicious':
      return 'The owner rejected it as suspicious. Nothing was done. Do not repeat it, and check where the idea came from.';
    case 'other':
      return 'The owner rejected it. Nothing was done. approval.rejection may say why. Do not repeat it unchanged.';
  }
}

const UNTOLD_ATTENDEES: Readonly<Record<Untold, string>> = {
  not_confirmed: 'The calendar server does not say whether attendees were told.',
  not_delivered: 'The calendar server could not tell all attendees.',
};

const invitations = z.looseObject({ invitations: z.enum(UNTOLD) });

/** What the calendar server says of the attendees whom it was to tell. Undefined: it has told them, or there were none. */
export function untoldOf({ result }: Pick<Executed, 'result'>): Untold | undefined {
  return invitations.safeParse(result).data?.invitations;
}

const itemsDone = z.looseObject({ items: z.array(z.looseObject({ done: z.boolean().optional() })) });

/** The number of targets that an executed change of several messages did not complete. Undefined: none. */
export function failedTargets({
  result,
}: Pick<Executed, 'result'>): { readonly undone: number; readonly of: number } | undefined {
  const items = itemsDone.safeParse(result).data?.items ?? [];
  const undone = items.filter(({ done }) => done === false).length;
  return undone === 0 ? undefined : { undone, of: items.length };
}

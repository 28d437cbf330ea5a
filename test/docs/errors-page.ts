import { STATUS_CODES } from 'node:http';
import {
  APPROVAL_ERRORS,
  APPROVAL_STATES,
  type ApprovalError,
  type ApprovalState,
} from '../../core/approvals/approval.ts';
import { ERRORS, type ErrorCode } from '../../core/contract/errors.ts';
import { BODY_ERRORS } from '../../hosts/http/body-rules.ts';
import { ENTRY_ERRORS } from '../../hosts/http/entry-rules.ts';
import { answering, CODES } from './answered-errors.ts';
import { code, list, page, prose, table, wrapped } from './markdown.ts';
import { anchorOf } from './page-links.ts';
import { shapeRows } from './schema-rows.ts';

/** docs/reference/errors.md: the codes of errors, what to do, and how requests for approval end. */

const WHAT_TO_DO: Readonly<Record<ErrorCode, string>> = {
  invalid_arguments:
    'Correct the arguments that `details.errors` names, and call again. [Tools](tools.md) lists the arguments of each tool.',
  invalid_content_length: 'Send the length of the body in bytes. HTTP libraries do it by themselves.',
  invalid_idempotency_key: 'Use a short random text, such as a UUID.',
  invalid_message_id: 'Pass ids exactly as a result returned them. Do not shorten, decode or build them.',
  token_in_url:
    'Ask the owner for a new key, and send it only as `Authorization: Bearer svc_pat_…`. The address is in logs by now.',
  too_many_targets: 'Act on at most `details.max_targets` messages in one call.',
  invalid_token:
    'Do not retry. Check that the whole key arrives as `Authorization: Bearer svc_pat_…`. If it does, it was revoked or has expired: ask the owner for a new one.',
  quota_exceeded: 'File no more requests until `details.resets_at`. Reads still run.',
  not_permitted:
    'Do not retry. Tell the owner what you need: the group, or why you were paused. With `reason` `fence`, choose an account or recipient that `get_me` lists under `fences`.',
  origin_not_allowed: 'Call from a server, without an `Origin` header. Pages in browsers cannot use the API.',
  not_found: 'List again to get current ids. `details.reason` says what is missing.',
  method_not_allowed: 'Use a method that the `Allow` header names.',
  idempotency_in_progress:
    'Send the same request with the same key again after `details.retry_after_s` seconds. It gets the answer of the first one.',
  no_mail_account_connected: 'Do not retry. Ask the owner to connect a mailbox on the dashboard.',
  pending_exists_for_target:
    'Do not repeat the call. Read the request `details.approval_id` with `get_approval`, or withdraw it with `cancel_approval` if you want something else for the same target.',
  previously_rejected:
    'Do not repeat it, nor the same in other words. Until `details.resets_at` every key of the owner gets this answer.',
  length_required: 'Send a `Content-Length` header, and no chunked body.',
  payload_too_large: 'Send a body of at most `details.max_bytes` bytes.',
  unsupported_media_type: 'Send JSON with `Content-Type: application/json`, not compressed.',
  misdirected_request:
    'Send the request to `details.expected`. If that address is wrong, whoever runs the server changes the setting that `details.setting` names.',
  idempotency_key_reused:
    'Use a new key for a new request. To repeat a request, send the same tool and arguments.',
  busy: 'Retry after `details.retry_after_s` seconds, once one of your calls is answered.',
  daily_limit_reached: 'Stop until `details.resets_at`. The limit counts the calls of all keys of the owner.',
  rate_limited:
    'Retry after `details.retry_after_s` seconds. The `RateLimit` headers of every answer say what is left.',
  too_many_pending:
    'Wait until the owner has decided, or withdraw a request with `cancel_approval`. Reads still run.',
  internal_error:
    'If `details.remedy` is there, whoever runs the server does what it says. Otherwise look for the `X-Request-Id` of the answer in the log. Before you repeat a write, look in `list_approvals` with `state` `all`.',
  upstream_mail_error:
    'Retry later if `details.reason` is `unavailable`. With `auth`, the owner has to sign in to the account again. With `refused` or `conflict`, the same call fails again: read the message or event anew.',
  temporarily_unavailable: 'Retry after `details.retry_after_s` seconds.',
  unavailable: 'Retry after `details.retry_after_s` seconds.',
};

/** Who answers codes that do not come from a tool. */
const BEFORE_A_CALL: Readonly<Partial<Record<ErrorCode, string>>> = {
  ...Object.fromEntries(ENTRY_ERRORS.map((error) => [error, 'every request, before its key is checked'])),
  ...Object.fromEntries(BODY_ERRORS.map((error) => [error, 'every request with a body, before it is read'])),
  not_found: 'a path without a route',
  method_not_allowed: 'a path that has other methods',
  unavailable: 'nothing at present; clients treat it as `temporarily_unavailable`',
};

const STATE_MEANS: Readonly<Record<ApprovalState, string>> = {
  pending: 'It waits for the owner. Nothing has happened.',
  approved: 'The owner approved it, and it is being carried out. It is not done yet.',
  executed: 'It is done. `result` says what was done.',
  failed: 'It was not carried out. Nothing was done; `error` says why.',
  rejected: 'The owner rejected it. Nothing was done; `rejection` may say why.',
  expired: 'The owner did not decide in time. Nothing was done.',
  cancelled: 'It was withdrawn, or its key, permission or account was switched off. Nothing was done.',
  outcome_unknown:
    'It may or may not have happened. Do not repeat it: look in the Sent folder or the calendar.',
};

/** A refused copy in Sent does not end a request, and only the owner's pages and `meaning` say it. */
type Ending = Exclude<ApprovalError, 'sent_copy_refused'>;

const ENDING_MEANS: Readonly<Record<Ending, string>> = {
  internal_error: 'The server failed.',
  not_found: 'The message, event or tracker is gone.',
  upstream_mail_error: 'The mail or calendar server refused it, or did not answer.',
  password_refused: "The mail server refuses the account's password. The owner can update it.",
  sign_in_again: 'The provider has withdrawn the sign-in of the account. The owner can sign in again.',
  cancelled_by_agent: 'The key withdrew it.',
  credential_off: 'The key was revoked, or has expired.',
  credential_paused: 'The owner paused the key before it started.',
  permission_off: 'The owner switched the permission off.',
  account_removed: 'The owner removed the account.',
  interrupted: 'The server stopped before it started.',
  not_started_in_time: 'It was approved, but could not start in time.',
  target_changed: 'The message, event or tracker changed after the request was made.',
  plan_unreadable: 'What it was to do cannot be read any more.',
  message_too_large: 'The message is larger than the mail server takes.',
  too_many_recipients: 'The mail server takes fewer recipients at once.',
  outside_fence: 'It leads outside the fences of the key.',
  altered: 'Its approval was changed outside Countersign.',
};

export function errorsPage(): string {
  const statuses = [...new Set(CODES.map((error) => ERRORS[error].status))].sort((a, b) => a - b);
  return page(
    '# Errors',
    wrapped(
      'An error is `{"status": "error", "code": …, "message": …}`, with `details` where the code has some. Decide by `code`: it is stable, and `message` is a fixed text for people. An error means that nothing was done. Over MCP the same object is the result of the call, with `isError: true`.',
    ),
    table(
      ['HTTP', 'code', 'message', 'retry after'],
      statuses.flatMap((status) => codesOf(status).map((error) => summaryRow(status, error))),
    ),
    wrapped(
      'Answers with a status of 429 or 503 carry a `Retry-After` header as well. A request that has waited and ended is no error, whatever became of it: see [States of a request](#states-of-a-request).',
    ),
    ...statuses.flatMap(statusSection),
    '## States of a request',
    wrapped('The `state` of an approval. `pending` and `approved` are not the end; the others never change.'),
    table(
      ['state', 'means'],
      APPROVAL_STATES.map((state) => [code(state), STATE_MEANS[state]]),
    ),
    '## Why a request ended without its action',
    wrapped('The `error` of an approval that ended as `failed` or `cancelled`.'),
    table(
      ['`error`', 'means'],
      APPROVAL_ERRORS.filter((error) => error !== 'sent_copy_refused').map((error) => [
        code(error),
        ENDING_MEANS[error],
      ]),
    ),
  );
}

function codesOf(status: number): readonly ErrorCode[] {
  return CODES.filter((error) => ERRORS[error].status === status);
}

function summaryRow(status: number, error: ErrorCode): readonly string[] {
  const fields = detailsRows(error).map(({ path }) => path);
  const after = ['retry_after_s', 'resets_at'].filter((field) => fields.includes(field)).map(code);
  const link = `[${code(error)}](#${anchorOf(error)})`;
  return [String(status), link, prose(ERRORS[error].message), after.join(' or ')];
}

function statusSection(status: number): readonly string[] {
  return [`## ${status} ${STATUS_CODES[status]}`, ...codesOf(status).flatMap(codeSection)];
}

function codeSection(error: ErrorCode): readonly string[] {
  const details = detailsRows(error).map(({ path, type, isRequired, meaning }) => [
    code(path),
    isRequired ? type : `optional ${type}`,
    prose(meaning),
  ]);
  return [
    `### ${error}`,
    wrapped(prose(ERRORS[error].message)),
    list([`What to do: ${WHAT_TO_DO[error]}`, `Answered by: ${answeredBy(error)}`]),
    ...(details.length === 0 ? [] : [table(['`details`', 'type', 'meaning'], details)]),
  ];
}

function detailsRows(error: ErrorCode) {
  const { details } = ERRORS[error];
  return details === null ? [] : shapeRows(details).flat();
}

function answeredBy(error: ErrorCode): string {
  const { kind, tools } = answering(error);
  const links = tools.map(({ name }) => `[${code(name)}](tools.md#${anchorOf(name)})`);
  const all = [BEFORE_A_CALL[error], kind, ...links].filter((one) => one !== undefined);
  if (all.length === 0) throw new Error(`BEFORE_A_CALL does not say who answers ${error}`);
  return all.join(', ');
}

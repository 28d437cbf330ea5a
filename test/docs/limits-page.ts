import { WAIT_PER_CPU } from '../../adapters/process/bounded-process.ts';
import { MAX_RESIDENT_BYTES } from '../../adapters/process/do-jobs.ts';
import { USUAL_BOUNDS } from '../../adapters/process/process-pool.ts';
import { ACTIVITY_KEPT_MS } from '../../core/activity/check-activity.ts';
import { APPROVAL_LIFETIME_MS, START_WITHIN_MS } from '../../core/approvals/approval.ts';
import { SENDS_DAY_MS, SENDS_SHORT_MS } from '../../core/approvals/decide-call.ts';
import { CLAIM_LIFETIME_MS, IDEMPOTENCY_KEY } from '../../core/approvals/idempotency.ts';
import { EXECUTED_LATELY_MS, REJECTED_MS, SAME_UNFINISHED_MS } from '../../core/approvals/precedent.ts';
import { RESPONSE_BYTES } from '../../core/call/fitting.ts';
import { URL_CHARS_MAX } from '../../core/contract/endpoint-url.ts';
import { ERRORS, type ErrorCode } from '../../core/contract/errors.ts';
import { ATTEMPT_MS, ATTEMPTS_MAX } from '../../core/events/delivery.ts';
import { FAILING_MS } from '../../core/events/endpoint-health.ts';
import { TOLERANCE_S } from '../../core/events/signature.ts';
import { ROTATION_OVERLAP_MS } from '../../core/events/webhooks.ts';
import { WAITS_PER_CREDENTIAL } from '../../core/gate/approval-waits.ts';
import { CALLS_WITHOUT_KEY } from '../../core/gate/calls.ts';
import { KEY_DAYS_DEFAULT, KEY_DAYS_MAX, ROTATION_OVERLAP_HOURS } from '../../core/keys/credential.ts';
import { FENCE_ENTRIES_MAX } from '../../core/keys/fences.ts';
import { type Limits, PLAN_LIMITS } from '../../core/keys/limits.ts';
import { effectiveMode, GROUPS, type Group, modesOf } from '../../core/keys/permissions.ts';
import { ACCESS_TOKEN_MS } from '../../core/keys/sign-ins.ts';
import { ATTACHMENTS_MAX } from '../../core/mail/attachment-info.ts';
import { SOURCE_BYTES } from '../../core/mail/message-source.ts';
import { PLANS_KEPT_DAYS } from '../../core/owners/new-owner.ts';
import { SESSION_MS } from '../../core/owners/sessions.ts';
import { OPEN_MS } from '../../core/owners/setup.ts';
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../../core/secrets/password.ts';
import { EVENTS_KEPT_MS } from '../../core/service/background-work.ts';
import { CATALOGUE } from '../../core/tools/catalogue.ts';
import { ATTACHMENT_BYTES, TEXT_CHARS } from '../../core/tools/mail-attachments.ts';
import { BODY_CHARS } from '../../core/tools/mail-read.ts';
import { BODY_CHARS as THREAD_BODY_CHARS } from '../../core/tools/mail-thread.ts';
import { HEAD_MAX_BYTES } from '../../hosts/http/arriving-head.ts';
import { BODY_MAX_BYTES } from '../../hosts/http/body-rules.ts';
import { HEADERS_MAX, LIMITS as LISTENER } from '../../hosts/server/listeners/web-server.ts';
import { bytesText, code, codes, durationText, numberText, page, table, wrapped } from './markdown.ts';
import { anchorOf } from './page-links.ts';
import { fieldRows } from './schema-rows.ts';

/** docs/reference/limits.md: every number that a caller or an owner can run into. */

const PLAN_LIMIT: Readonly<
  Record<keyof Limits, { readonly means: string; readonly over: ErrorCode | 'waits' | 'dashboard' }>
> = {
  callsPerMinute: { means: 'Calls a minute, of one key', over: 'rate_limited' },
  callsPerDay: { means: 'Calls a day (UTC), of all keys of the owner', over: 'daily_limit_reached' },
  filedPerDay: { means: 'Approval requests filed a day (UTC), of one key', over: 'quota_exceeded' },
  waitingPerKey: { means: 'Requests that wait at a time, of one key', over: 'too_many_pending' },
  waitingPerOwner: { means: 'Requests that wait at a time, of the owner', over: 'too_many_pending' },
  messagesPerBulk: { means: 'Messages that one call acts on', over: 'too_many_targets' },
  concurrentCalls: { means: 'Calls in flight, of one key', over: 'busy' },
  webhookEndpoints: { means: 'Webhook endpoints of the owner', over: 'dashboard' },
  directSendsPerDay: {
    means: `Sends that run at once in ${durationText(SENDS_DAY_MS)}, of one key`,
    over: 'waits',
  },
  directSendsPer10Min: {
    means: `Sends that run at once in ${durationText(SENDS_SHORT_MS)}, of one key`,
    over: 'waits',
  },
};

type Row = readonly [what: string, bound: string, beyond: string];

const CALLS: readonly Row[] = [
  ['Request body', bytesText(BODY_MAX_BYTES), errorLink('payload_too_large')],
  [
    'Head of a request',
    `${bytesText(HEAD_MAX_BYTES)}, ${HEADERS_MAX} headers`,
    'Status 431, without a body.',
  ],
  ['Response', bytesText(RESPONSE_BYTES), 'The rest comes with the next page or part.'],
  ['`Idempotency-Key`', idempotencyKeyText(), errorLink('invalid_idempotency_key')],
  ['Answer kept for an `Idempotency-Key`', durationText(CLAIM_LIFETIME_MS), 'The key is free again.'],
  ['Calls that wait with `wait_s`, of one key', String(WAITS_PER_CREDENTIAL), 'They are answered at once.'],
  [
    'Requests without a valid key, a minute and address',
    String(CALLS_WITHOUT_KEY),
    errorLink('rate_limited'),
  ],
];

const REQUESTS: readonly Row[] = [
  ['Time for the owner to decide', durationText(APPROVAL_LIFETIME_MS), 'State `expired`.'],
  ['Start of what is approved', `within ${durationText(START_WITHIN_MS)}`, 'State `failed`.'],
  ['Refusal of what was rejected', durationText(REJECTED_MS), 'It may be asked again.'],
  [
    'The same request while the first is `approved` or `outcome_unknown`',
    durationText(SAME_UNFINISHED_MS),
    'Until then the first one is the answer.',
  ],
  [
    'The same send or event after one was executed',
    durationText(EXECUTED_LATELY_MS),
    'Until then it waits for the owner as a likely repeat.',
  ],
  [
    'Content of ended requests is kept',
    `${PLANS_KEPT_DAYS.usual} days; the owner chooses ${PLANS_KEPT_DAYS.min} to ${PLANS_KEPT_DAYS.max}`,
    'It is erased. What was decided, and when, stays.',
  ],
  ['Activity is kept', durationText(ACTIVITY_KEPT_MS), 'It is erased.'],
];

const ACCESS: readonly Row[] = [
  ['Life of a key', `${KEY_DAYS_DEFAULT} days, at most ${KEY_DAYS_MAX}`, errorLink('invalid_token')],
  ['Old key after a rotation', `${ROTATION_OVERLAP_HOURS} hours`, errorLink('invalid_token')],
  [
    'Accounts, and recipients, in the fences of a key',
    `${FENCE_ENTRIES_MAX} each`,
    'Refused on the dashboard.',
  ],
  ['Access token of a sign-in', durationText(ACCESS_TOKEN_MS), 'The assistant renews it.'],
  ['Session on the dashboard', durationText(SESSION_MS), 'The owner signs in again.'],
  [
    'Password of an owner',
    `${PASSWORD_CHARS_MIN} to ${numberText(PASSWORD_CHARS_MAX)} characters`,
    'Refused on the dashboard.',
  ],
  ['Link for the first run', durationText(OPEN_MS), '`countersign setup-link` prints a new one.'],
];

const READING: readonly Row[] = [
  [
    'Text of a message, in one answer',
    `${numberText(BODY_CHARS)} characters`,
    'Next part: `body_next_offset`.',
  ],
  [
    'Text of each message of a conversation',
    `${numberText(THREAD_BODY_CHARS)} characters`,
    '`get_email` reads the rest.',
  ],
  [
    'Text of an attachment, in one answer',
    `${numberText(TEXT_CHARS)} characters`,
    'Next part: `text_next_offset`.',
  ],
  ['Attachments of a message', numberText(ATTACHMENTS_MAX), 'The others are not listed.'],
  ['Attachment that is read', bytesText(ATTACHMENT_BYTES), 'Status `empty`, reason `too_large`.'],
  ['Message that is read whole', bytesText(SOURCE_BYTES), 'Texts and attachments are fetched one by one.'],
  [
    'Reading one message, attachment or calendar object',
    `${durationText(USUAL_BOUNDS.maxCpuMs)} of CPU time, ${durationText(USUAL_BOUNDS.maxCpuMs * WAIT_PER_CPU)} on the clock, ${bytesText(MAX_RESIDENT_BYTES)} of memory`,
    'It says so in place of the text.',
  ],
];

const WEBHOOKS: readonly Row[] = [
  ['Address of an endpoint', `${numberText(URL_CHARS_MAX)} characters, https`, 'Refused when it is added.'],
  ['Time to answer', durationText(ATTEMPT_MS), 'The attempt has failed.'],
  ['Attempts', String(ATTEMPTS_MAX), 'The delivery has failed.'],
  ['Difference of clocks', `${TOLERANCE_S} seconds`, 'Receivers refuse the request.'],
  ['Old secret after a rotation', durationText(ROTATION_OVERLAP_MS), 'It no longer signs.'],
  ['Nothing but failures', durationText(FAILING_MS), 'The endpoint is switched off.'],
  ['Events are kept', durationText(EVENTS_KEPT_MS), 'They are erased.'],
];

const SERVER: readonly Row[] = [
  [
    'Connections of a listener',
    `${LISTENER.total}, ${LISTENER.perAddress} of them from one address`,
    'Idle and slow ones make room; otherwise the new one is refused.',
  ],
  ['Time for the head of a request', durationText(LISTENER.headMs), 'The connection ends.'],
  ['Time for a whole request', durationText(LISTENER.requestMs), 'The connection ends.'],
  ['Time to take a response', durationText(LISTENER.responseMs), 'The connection ends.'],
  ['Silence between two requests', durationText(LISTENER.keepAliveMs), 'The connection ends.'],
  ['The same of a trusted proxy', durationText(LISTENER.proxyKeepAliveMs), 'The connection ends.'],
];

export function limitsPage(): string {
  return page(
    '# Limits',
    '## Plans',
    wrapped(
      'A server that you run gives new owners the plan `paid`, unless [`COUNTERSIGN_PLAN`](settings.md#countersign_plan) says otherwise. [`COUNTERSIGN_LIMITS`](settings.md#countersign_limits) changes single limits by the names below.',
    ),
    table(
      ['limit', 'means', 'free', 'paid', 'beyond it'],
      (Object.keys(PLAN_LIMIT) as (keyof Limits)[]).map(planRow),
    ),
    wrapped(
      `On the free plan, only ${codes(GROUPS.filter(isDirectOnFree))} can be \`direct\`, and marking several messages at once waits for the owner.`,
    ),
    '## Calls',
    boundsTable(CALLS),
    '## Arguments',
    wrapped(
      `A value outside these bounds answers 400 ${errorLink('invalid_arguments')}. Characters are Unicode code points.`,
    ),
    table(['argument', 'bound', 'tools'], argumentRows()),
    '## Requests for approval',
    boundsTable(REQUESTS),
    '## Keys and sessions',
    boundsTable(ACCESS),
    '## Reading mail',
    boundsTable(READING),
    '## Webhooks',
    boundsTable(WEBHOOKS),
    '## The bundled server',
    boundsTable(SERVER),
  );
}

function idempotencyKeyText(): string {
  const [, least, most] = /\{(\d+),(\d+)\}/.exec(IDEMPOTENCY_KEY.source) ?? [];
  return `${least} to ${most} visible ASCII characters`;
}

function isDirectOnFree(group: Group): boolean {
  return modesOf(group).includes('direct') && effectiveMode(group, 'direct', 'free') === 'direct';
}

function boundsTable(rows: readonly Row[]): string {
  return table(['what', 'bound', 'beyond it'], rows);
}

function errorLink(error: ErrorCode): string {
  return `[${code(error)}](errors.md#${anchorOf(error)})`;
}

function planRow(name: keyof Limits): readonly string[] {
  const { means, over } = PLAN_LIMIT[name];
  const { free, paid } = PLAN_LIMITS;
  return [code(name), means, numberText(free[name]), numberText(paid[name]), beyondText(over)];
}

function beyondText(over: ErrorCode | 'waits' | 'dashboard'): string {
  if (over === 'waits') return 'the send waits for the owner';
  return over === 'dashboard' ? 'refused on the dashboard' : `${ERRORS[over].status} ${errorLink(over)}`;
}

/** Every argument with a bound, once for all the tools that share it. */
function argumentRows(): readonly (readonly string[])[] {
  const tools = new Map<string, string[]>();
  for (const { name, inputSchema } of CATALOGUE) {
    for (const { path, type } of fieldRows(inputSchema)) {
      const key = `${code(path)}\n${type}`;
      if (/\d/.test(type)) tools.set(key, [...(tools.get(key) ?? []), name]);
    }
  }
  return [...tools]
    .map(([key, names]) => {
      const links = names.map((name) => `[${code(name)}](tools.md#${anchorOf(name)})`);
      return [...key.split('\n'), names.length > 8 ? `${names.length} tools` : links.join(', ')];
    })
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
}

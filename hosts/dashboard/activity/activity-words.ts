import type { ActionGist } from '../../../core/actions/gist.ts';
import { ERRORS } from '../../../core/contract/errors.ts';
import type { ActivityEntry } from '../../../core/requests/activity-list.ts';
import type { ApprovalGist } from '../../../core/requests/approval-views.ts';
import type { FindingSentence } from '../../../core/safety/finding-text.ts';
import { findTool } from '../../../core/tools/catalogue.ts';

/** What a row of the activity says, for the owner. It names the message, event or tracker if its request does. */
export function activitySentence(entry: ActivityEntry): FindingSentence {
  switch (entry.kind) {
    case 'call':
      return callSentence(entry);
    case 'decision':
      return [`You ${entry.outcome} its request to `, ...words(entry, 'verb'), '.'];
    case 'settlement':
      return settlementSentence(entry);
  }
}

/** The sentence of a row as plain text, with quotation marks around names. */
export function activityText(entry: ActivityEntry): string {
  return activitySentence(entry)
    .map((part) => (typeof part === 'string' ? part : `“${part.name}”`))
    .join('');
}

function callSentence(entry: ActivityEntry): FindingSentence {
  const { request, outcome } = entry;
  if (request !== null && !isError(outcome)) {
    if (request.approvedBy === 'policy' && request.state === 'executed')
      return [...words(entry, 'past'), ', as its key may without asking.'];
    return ['Asked to ', ...words(entry, 'verb'), `: ${answerTo(request)}.`];
  }
  if (!isError(outcome)) return [...words(entry, 'past'), '.'];
  return ['Tried to ', ...words(entry, 'verb'), '. ', ...failure(outcome)];
}

function settlementSentence(entry: ActivityEntry): FindingSentence {
  switch (entry.outcome) {
    case 'executed':
      return [...words(entry, 'past'), entry.request?.approvedBy === 'owner' ? ', as you approved.' : '.'];
    case 'outcome_unknown':
      return ['Tried to ', ...words(entry, 'verb'), '. It may or may not have happened.'];
    default:
      return ['Could not ', ...words(entry, 'verb'), '. Nothing was done.'];
  }
}

/** What became of a request. */
function answerTo({ state, approvedBy }: NonNullable<ActivityEntry['request']>): string {
  const approved = approvedBy === 'owner' ? 'you approved it' : 'its key may do that without asking';
  switch (state) {
    case 'pending':
      return 'it waits for you';
    case 'approved':
      return `${approved}, and it is being carried out`;
    case 'executed':
      return approved;
    case 'failed':
      return `${approved}, but it failed`;
    case 'outcome_unknown':
      return `${approved}, but it may or may not have happened`;
    case 'rejected':
      return 'you rejected it';
    case 'expired':
      return 'nobody decided in time';
    case 'cancelled':
      return 'it was withdrawn';
  }
}

function words(entry: ActivityEntry, form: 'verb' | 'past'): FindingSentence {
  const { tool, request } = entry;
  // The call named no known tool. If it succeeded, it was one of the protocol, such as listing the tools.
  if (tool === null) return [form === 'verb' ? 'use an unknown tool' : 'Connected, or listed the tools'];
  const known = findTool(tool);
  // Another version of Countersign may have written the row.
  if (known === undefined) return [form === 'verb' ? 'use ' : 'Used ', { name: tool }];
  const { one, many, ...forms } = known.words;
  const [before = '', after] = forms[form].split('%');
  if (after === undefined) return [before];
  const named = request === null ? shownSubject(entry) : subject(request.gist, tool);
  return [before, ...(named ?? [one ?? howMany(entry, many ?? '')]), after];
}

/** What a request is about. Undefined if that is no longer known. */
function subject(gist: ApprovalGist, tool: string): FindingSentence | undefined {
  switch (gist.kind) {
    case 'message':
      return tool === 'send_reply'
        ? [...people(gist), ' with ', title(gist.subject)]
        : [title(gist.subject), ' to ', ...people(gist)];
    case 'targets':
      return [
        title(gist.subject),
        ' (',
        { name: gist.from },
        gist.more === 0 ? ')' : `) and ${gist.more} more`,
      ];
    case 'event':
      return ['the event ', title(gist.title)];
    case 'tracker':
      return ['the tracker ', title(gist.title)];
    default:
      return undefined;
  }
}

/** What a read showed. Undefined if that is no longer known. */
function shownSubject({ shown, sources: [first] }: ActivityEntry): FindingSentence | undefined {
  if (first === undefined) return undefined;
  const { id, title: text, author } = first;
  if (id.startsWith('tracker:')) return ['the tracker ', title(text)];
  const more = shown.length === 1 ? '' : ` and ${shown.length - 1} more`;
  return author === '' ? [title(text), more] : [title(text), ' (', { name: author }, `)${more}`];
}

/** The number of the messages or trackers that the call showed, changed or listed. A call that failed has none. */
function howMany({ shown, listed, outcome }: ActivityEntry, things: string): string {
  const count = Math.max(shown.length, listed.length);
  if (count > 0) return counted(count, things.slice(0, -1));
  return outcome === 'ok' || outcome === 'empty' ? `no ${things}` : things;
}

const PEOPLE_SHOWN = 3;

function people({ to }: Extract<ActionGist, { kind: 'message' }>): FindingSentence {
  const names = to.slice(0, PEOPLE_SHOWN).flatMap((name) => [', ', { name }]);
  return [...names.slice(1), to.length > PEOPLE_SHOWN ? ` and ${to.length - PEOPLE_SHOWN} more` : ''];
}

function title(text: string): FindingSentence[number] {
  return text.trim() === '' ? '(no subject)' : { name: text };
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

function isError(outcome: string): boolean {
  return !['ok', 'empty', 'pending_approval'].includes(outcome);
}

/** Outcomes whose text for agents says too little to the owner, or too much. */
const FAILURES: Readonly<Record<string, string>> = {
  not_permitted: 'Refused: its key may not do that.',
  'not_permitted:fence': 'Refused: outside its fences.',
  'not_permitted:paused': 'Refused: its key is paused.',
  invalid_arguments: 'Refused: the call was not valid.',
  invalid_message_id: 'Refused: the call named a message that Countersign never showed.',
  pending_exists_for_target: 'Refused: a request for the same message already waits for you.',
  previously_rejected: 'Refused: you rejected the same request shortly before.',
  quota_exceeded: 'Refused: its requests for today are used up.',
  too_many_pending: 'Refused: too many requests wait for you.',
  no_mail_account_connected: 'Failed: no mailbox is connected.',
  upstream_mail_error: 'Failed: the mail or calendar server did not do it.',
  'upstream_mail_error:auth': 'Failed: the mail or calendar server refused the password.',
  'upstream_mail_error:unavailable': 'Failed: the mail or calendar server did not answer.',
  'upstream_mail_error:outcome_unknown':
    'It may or may not have happened: the mail or calendar server never answered.',
  internal_error: 'Failed: the service made an error.',
  temporarily_unavailable: 'Failed: the service was busy.',
};

function failure(outcome: string): FindingSentence {
  const [code = '', reason] = outcome.split(':');
  if (code === 'not_found')
    return [reason === undefined ? 'It was not found.' : `The ${reason} was not found.`];
  const text = FAILURES[outcome] ?? FAILURES[code];
  if (text !== undefined) return [text];
  return code in ERRORS
    ? [`Refused: ${ERRORS[code as keyof typeof ERRORS].message}`]
    : ['Failed: ', { name: outcome }, '.'];
}

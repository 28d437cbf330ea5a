import type { ApprovalGist, ApprovalSummary } from '../../../core/requests/approval-views.ts';
import { Quoted } from '../third-party-text.tsx';
import { TimeSpan } from '../when.tsx';

/** What a request in a list would do, in one sentence. Its own page shows everything. */

/** By tool: the words before the recipients, the event, the message or the tracker. */
const VERBS: ReadonlyMap<string, string> = new Map([
  ['send_email', 'Send to'],
  ['send_reply', 'Reply to'],
  ['forward_email', 'Forward to'],
  ['create_event', 'Create'],
  ['propose_event', 'Propose'],
  ['update_event', 'Change'],
  ['confirm_event', 'Confirm'],
  ['cancel_event', 'Cancel'],
  ['archive_email', 'Archive'],
  ['delete_email', 'Move to the trash'],
  ['move_email', 'Move'],
  ['label_email', 'Label'],
  ['mark_read', 'Mark as read'],
  ['mark_unread', 'Mark as unread'],
  ['flag_email', 'Star'],
  ['link_to_tracker', 'Link'],
  ['create_tracker', 'Open'],
  ['set_tracker_status', 'Change the status of'],
  ['add_tracker_note', 'Add a note to'],
  ['link_event_to_tracker', 'Link an event to'],
  ['resolve_tracker', 'Resolve'],
]);

/** By tool: the words before what messages get. */
const INTO: ReadonlyMap<string, string> = new Map([
  ['move_email', 'to folder'],
  ['label_email', 'as'],
  ['link_to_tracker', 'to tracker'],
]);

/** The first so many recipients are named. */
const NAMED = 3;

export function RequestSentence({ summary, zone }: { summary: ApprovalSummary; zone: string }) {
  const { approval, gist, title } = summary;
  const verb = VERBS.get(approval.tool) ?? `${title}:`;
  switch (gist.kind) {
    case 'message':
      return (
        <>
          {verb} <Recipients addresses={gist.to} />: <Quoted text={gist.subject} />
        </>
      );
    case 'event': {
      const [start, end] = [new Date(gist.startMs), new Date(gist.endMs)];
      return (
        <>
          {verb} <Name text={gist.title} />:{' '}
          <TimeSpan start={start} end={end} allDay={gist.allDay} zone={zone} />
        </>
      );
    }
    case 'targets':
      return (
        <>
          {verb} <Name text={gist.subject} /> from <Quoted text={gist.from} />
          {gist.more === 0 ? null : ` and ${gist.more} more`}
          <Into tool={approval.tool} gist={gist} />
        </>
      );
    case 'tracker':
      return (
        <>
          {verb} tracker <Name text={gist.title} />
          <Into tool={approval.tool} gist={gist} />
        </>
      );
    default:
      return (
        <>
          {title} <span class="quiet">{NOT_SHOWN[gist.kind]}</span>
        </>
      );
  }
}

const NOT_SHOWN = {
  erased: 'Its content has been erased.',
  not_kept: 'Open it to see what it asks for.',
  unreadable: 'Its summary cannot be read. Open it to see what it asks for.',
} as const;

/** `12 messages to archive`. All of the same tool, and with the same destination. */
export function TogetherTitle({ summaries }: { summaries: readonly ApprovalSummary[] }) {
  const [first] = summaries;
  if (first === undefined) return null;
  const { tool } = first.approval;
  const verb = VERBS.get(tool) ?? first.title;
  const infinitive = `${verb.slice(0, 1).toLowerCase()}${verb.slice(1)}`;
  return (
    <>
      {thingsIn(summaries)} to {infinitive}
      <Into tool={tool} gist={first.gist} />
    </>
  );
}

/** `1 message`, `5 trackers` */
function thingsIn(summaries: readonly ApprovalSummary[]): string {
  const messages = summaries.reduce((sum, { gist }) => sum + messagesIn(gist), 0);
  const [count, noun] = messages === 0 ? [summaries.length, 'tracker'] : [messages, 'message'];
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** How many messages a request changes. */
export function messagesIn(gist: ApprovalGist): number {
  return gist.kind === 'targets' ? gist.more + 1 : 0;
}

function Into({ tool, gist }: { tool: string; gist: ApprovalGist }) {
  if (gist.kind === 'tracker' && gist.status !== undefined) return <> to “{gist.status}”</>;
  if (gist.kind !== 'targets' || gist.into === undefined) return null;
  return (
    <>
      {' '}
      {INTO.get(tool) ?? 'to'} <Name text={gist.into} />
    </>
  );
}

function Recipients({ addresses }: { addresses: readonly string[] }) {
  const more = addresses.length - NAMED;
  return (
    <>
      {addresses.slice(0, NAMED).map((address, index) => (
        <>
          {index === 0 ? null : ', '}
          <Name text={address} />
        </>
      ))}
      {more > 0 ? ` and ${more} more` : null}
    </>
  );
}

function Name({ text }: { text: string }) {
  return (
    <b>
      <Quoted text={text} />
    </b>
  );
}

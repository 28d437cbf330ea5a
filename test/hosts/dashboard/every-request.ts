import { ownerNotices } from '../../../adapters/notices/owner-notices.ts';
import { sandboxCalendar } from '../../../adapters/sandbox/calendar.ts';
import { calendarOf, event, ZURICH } from '../../contracts/calendar/scene.ts';
import { approvalOf } from '../../core/scene.ts';
import { inlineIndex } from '../../inline-index.ts';
import { type Dashboard, EMAIL, openDashboard } from './open-dashboard.ts';

/** A dashboard on which one request of each kind waits, with texts that pages find hard. */
export async function openRequests(): Promise<{
  readonly dashboard: Dashboard;
  /** Ids by name. */
  readonly ids: ReadonlyMap<string, string>;
}> {
  const calendar = sandboxCalendar({ samples: [] });
  const mailServer = { host: 'mail.example.org', port: 465, security: 'tls', user: EMAIL } as const;
  const servers = { imap: mailServer, smtp: mailServer, caldav: undefined, fingerprint: undefined };
  const [settings, withPassword, withCalendar] = [() => ({}), () => ({}), () => ({})];
  const connect = { settings, withPassword, withCalendar, fieldsOf: () => servers };
  const server = { host: 'mail.example.org', port: 465, security: 'tls' } as const;
  const smtp = { ...server, from: 'countersign@example.org' };
  const noticeSender = ownerNotices({ smtp });
  const dashboard = await openDashboard({
    ...{ calendar, timezone: ZONE, noticeSender, connect },
    mailIndex: inlineIndex(),
  });
  const ntfy = { kind: 'ntfy', server: 'https://ntfy.example.org', topic: 'mine', token: null } as const;
  await dashboard.service.notices.add(dashboard.ownerId, ntfy);
  const limits = { waitingPerKey: 100, waitingPerOwner: 100, callsPerMinute: 1000 };
  await dashboard.service.owners.update(dashboard.ownerId, { limits });
  const account = { ownerId: dashboard.ownerId, accountId: 1, email: EMAIL, settings: async () => ({}) };
  const day = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
  const at = (clock: string) => `${day.replaceAll('-', '')}T${clock}`;
  const crowd = Array.from(
    { length: 50 },
    (_, n) => `ATTENDEE;CN=Person Number ${n}:mailto:person-${n}@long-domain-name.example`,
  );
  const put = (title: string, clock: string, ...lines: string[]) =>
    calendar.put(
      account,
      `${clock}.ics`,
      calendarOf(
        ZURICH,
        event(clock, `SUMMARY:${title}`, `DTSTART;TZID=${ZONE}:${at(clock)}`, 'DURATION:PT1H', ...lines),
      ),
    );
  await put('Weekly', '090000', 'LOCATION:Room 5', 'DESCRIPTION:What we\\nplan', ...crowd);
  await put('All hands', '130000', ...crowd);
  await put('Dentist', '160000');
  const letters = [...LETTERS].reverse();
  for (const [from, subject, text] of letters) {
    const head = `From: ${from}\r\nTo: ${EMAIL}\r\nSubject: ${subject}\r\nDate: Fri, 20 Nov 2026 10:00:00 +0000\r\nContent-Type: text/plain; charset=utf-8`;
    await dashboard.mail.deliver(account, 'INBOX', Buffer.from(`${head}\r\n\r\n${text}\r\n`));
  }
  const asking = {
    'mail:organize': 'approval',
    'trackers:write': 'approval',
    'trackers:remove': 'approval',
  } as const;
  const key = await dashboard.addKey('full', asking, 'organiser');
  const direct = await dashboard.addKey('full', {}, 'helper');
  const found = await key.call('summarize_inbox', { limit: letters.length });
  if (found.status !== 'ok') throw new Error(JSON.stringify(found));
  const messages = (found.result.messages as { id: string }[]).map(({ id }) => id);
  const letter = (subject: string) => messages[LETTERS.findIndex((one) => one[1] === subject)] ?? '';
  for (const title of ['The roof', 'The kitchen', 'The garden', 'The car'])
    await direct.call('create_tracker', { title });
  const events = await key.call('list_events', { days: 60 });
  if (events.status !== 'ok') throw new Error(JSON.stringify(events));
  const listed = events.result.events as { event_id: number; title: string }[];
  const numberOf = (title: string) => listed.find((one) => one.title === title)?.event_id;

  const ids = new Map<string, string>();
  const ask = async (name: string, tool: string, args: object) => {
    ids.set(name, approvalOf(await key.call(tool, args)).id);
  };
  await ask('reply', 'send_reply', { id: letter('Q3 numbers'), body: SHORT });
  await ask('reply-rtl', 'send_reply', {
    id: letter('פגישה'),
    body: 'שלום דנה,\n\nכן, ביום שלישי בעשר.\n\nתודה',
  });
  await ask('send-risky', 'send_email', {
    to: ['ada@example.net'],
    subject: 'Your password: hunter2-Xk93',
    body: `Please sign in at https://bank.example@evil.example/ today with the password hunter2-Xk93.\n\n${'More text. '.repeat(80)}`,
    purpose: 'The message “URGENT” asked me to pass this on at once. See https://evil.example/x',
  });
  await ask('send-long', 'send_email', {
    to: ['ada', 'bob', 'cy', 'dee', 'eve'].map((name) => `${name}@a-rather-long-domain-name.example.net`),
    subject: 'A very long report',
    body: 'All work and no play makes Jack a dull boy.\n'.repeat(1136).slice(0, 50_000),
  });
  await ask('forward', 'forward_email', {
    id: letter('An offer'),
    to: ['cy@example.net'],
    note: 'Have a look.',
  });
  await ask('archive-one', 'archive_email', { id: letter('Minutes') });
  await ask('archive', 'archive_email', { ids: [letter('September'), letter('October')] });
  await ask('delete', 'delete_email', { ids: [letter('Sale')] });
  await ask('move', 'move_email', {
    ids: [letter('Invoice'), letter('Receipt')],
    target_folder: 'Projects/Atlas',
  });
  await ask('label', 'label_email', { ids: [letter('חשבון')], label: 'לתשלום' });
  await ask('flag', 'mark_read', { ids: [letter('News'), letter('More news'), letter('Still more news')] });
  await ask('create-event', 'create_event', {
    title: 'Planning the next quarter',
    start: `${day}T10:00`,
    duration_min: 90,
    attendee: 'ada@example.net',
    purpose: 'Nina asked for a meeting.',
  });
  await ask('propose-event', 'propose_event', {
    title: 'Lunch?',
    start: `${day}T12:00`,
    attendee: 'ada@example.net',
  });
  await ask('update-event', 'update_event', {
    event_id: numberOf('Weekly'),
    start: `${day}T15:30`,
    attendee: 'ada@example.net',
  });
  await ask('cancel-event', 'cancel_event', { event_id: numberOf('Dentist') });
  await ask('cancel-crowd', 'cancel_event', { event_id: numberOf('All hands') });
  await ask('create-tracker', 'create_tracker', {
    title: 'The boiler',
    keywords: 'boiler, heating',
    due: '2026-12-24',
  });
  await ask('tracker-status', 'resolve_tracker', { tracker_id: 1 });
  await ask('tracker-note', 'add_tracker_note', {
    tracker_id: 2,
    note: 'The plumber comes on Monday.\nHe brings parts.',
  });
  await ask('tracker-message', 'link_to_tracker', { tracker_id: 3, message_id: letter('The garden') });
  await ask('tracker-event', 'link_event_to_tracker', { tracker_id: 4, event_id: numberOf('Weekly') });
  return { dashboard, ids };
}

const ZONE = 'Europe/Zurich';
const SHORT = 'Hello Nina,\n\nthe numbers are 1,240 and 980. Shall we meet on Tuesday?\n\nBest';

const BANK = 'Statements <news@bank.example>';
const NINA = 'Nina Stein <nina@atlas.example>';
const DANA = 'דנה כהן <dana@atlas.example>';

/** One for each request that is about messages. */
const LETTERS: readonly (readonly [from: string, subject: string, text: string])[] = [
  [NINA, 'Q3 numbers', 'Hello,\n\nwhat are the numbers?'],
  [DANA, 'פגישה', 'שלום, האם נפגש ביום שלישי?'],
  ['Offers <offers@shop.example>', 'An offer', 'Have a look at our new account.'],
  [NINA, 'Minutes', 'Here are the minutes.'],
  [BANK, 'September', 'Your statement is ready.'],
  ['Service <service@bank.example>', 'October', 'Your statement is ready too.'],
  ['Offers <offers@shop.example>', 'Sale', 'Everything must go.'],
  [NINA, 'Invoice', 'Please pay.'],
  [BANK, 'Receipt', 'You paid.'],
  [DANA, 'חשבון', 'החשבון מצורף.'],
  ['A <a@one.example>', 'News', 'Some news.'],
  ['B <b@two.example>', 'More news', 'More news.'],
  ['C <c@three.example>', 'Still more news', 'Still more news.'],
  [NINA, 'The garden', 'The trees are in bloom.'],
];

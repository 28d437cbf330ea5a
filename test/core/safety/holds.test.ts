import { describe, expect, it } from 'vitest';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import type { Outcome } from '../../../core/call/outcome.ts';
import type { Modes } from '../../../core/keys/permissions.ts';
import type { CalendarInfo } from '../../../core/ports/calendar.ts';
import { MailError } from '../../../core/ports/mail.ts';
import type { Reader } from '../../../core/ports/reader.ts';
import type { JobName } from '../../../core/reading/jobs.ts';
import type { Hold } from '../../../core/safety/holds.ts';
import type { SafetyHold } from '../../../core/safety/safety-rules.ts';
import { object } from '../../contracts/calendar/scene.ts';
import { openCalendar, put, saying } from '../calendar-scene.ts';
import {
  accountOf,
  approvalOf,
  FRIEND,
  idsIn,
  letter,
  OWN,
  openScene,
  resultOf,
  type Scene,
  STRANGER,
  sendTo,
} from '../scene.ts';

/** The safety rules have their own cases in safety-filter.test.ts. */
type OwnHold = Exclude<Hold, SafetyHold>;

interface Case {
  readonly scene?: () => Promise<Scene>;
  readonly modes: Partial<Modes>;
  /** Further holds of the same call. */
  readonly besides?: readonly string[];
  /** Returns the held call. */
  catches(call: Call, ids: readonly string[]): Promise<Outcome>;
  /** The same call without the reason for the hold. `modes`: those of the key, if a different key has to make it. */
  passes(call: Call, ids: readonly string[]): Promise<Outcome>;
  readonly passesWith?: Partial<Modes>;
}
type Call = (tool: string, args: unknown) => Promise<Outcome>;

const samples = () => [letter('a', { minutesAgo: 1 }), letter('b', { minutesAgo: 2 })];
const strangersMail = () => [
  letter('a', { minutesAgo: 1, from: STRANGER, subject: 'Our shop', text: 'New: https://shop.example/\n' }),
  letter('b', { minutesAgo: 2, from: STRANGER, subject: 'New sign-in to your account' }),
];
const friendsInvoices = () => [
  letter('a', { minutesAgo: 1, text: 'Please pay to DE48 1203 0000 1052 8471 63.\n' }),
  letter('b', { minutesAgo: 60, text: 'Please pay to DE44 5001 0517 5407 3249 31.\n' }),
];
const doorCode = () => [letter('a', { minutesAgo: 1, text: 'The door code is 739204.\n' })];
const sends = { 'mail:send': 'direct' } as const;

/** Names as long as the DNS allows. */
function hostsOf(count: number): string[] {
  const label = 'a'.repeat(50);
  return Array.from({ length: count }, (_, n) => `https://x${n}${label}.${label}.${label}.${label}.example`);
}

const LONG_TEXT = 'All is well. '.repeat(1000);

/** A reader that is too slow for some jobs. */
function tooSlowFor(...jobs: readonly JobName[]): Reader {
  const reader = inlineReader();
  return {
    ...reader,
    read: async (name, input, options) =>
      jobs.includes(name) && JSON.stringify(input).length > LONG_TEXT.length
        ? { kind: 'unreadable', reason: 'too_slow' }
        : reader.read(name, input, options),
  };
}

/** The second newest read of the day has more hashes than a day may have together. */
async function tooMuchRead(): Promise<Scene> {
  const hashes = 'A'.repeat(33 * 1024 * 1024);
  return openScene({
    samples,
    storageAs: (storage) => ({
      ...storage,
      reads: async (query) =>
        (await storage.reads(query)).map((read, index) => (index === 1 ? { ...read, hashes } : read)),
    }),
  });
}

async function lookUpFailing(): Promise<Scene> {
  return openScene({
    samples,
    mailAs: (mail) => ({
      ...mail,
      async sentCopies() {
        throw new MailError('unavailable', 'the server does not answer');
      },
    }),
  });
}

/** A calendar with an event of the owner, and one to which a friend invited the owner. */
async function theirEvents(info: Partial<CalendarInfo>): Promise<Scene> {
  const scene = await openCalendar({ samples, calendarAs: saying(info) });
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
  const start = `DTSTART:${day}T120000Z`;
  const invited = [`ORGANIZER:mailto:${FRIEND}`, `ATTENDEE:mailto:${OWN}`];
  await put(scene, 'theirs.ics', object('theirs', 'SUMMARY:Theirs', start, ...invited));
  await put(scene, 'mine.ics', object('mine', 'SUMMARY:Mine', start));
  return scene;
}

async function cancelNamed(call: Call, title: string): Promise<Outcome> {
  const { events } = resultOf(await call('list_events', { days: 5 })) as {
    events: { event_id: number; title: string }[];
  };
  return call('cancel_event', { event_id: events.find((one) => one.title === title)?.event_id });
}

const CASES: Record<OwnHold, Case> = {
  mode_approval: {
    modes: { 'mail:send': 'approval' },
    catches: (call) => call('send_email', sendTo(FRIEND)),
    passesWith: sends,
    passes: (call) => call('send_email', sendTo(FRIEND)),
  },
  first_time_recipient: {
    modes: sends,
    catches: (call) => call('send_email', sendTo(STRANGER)),
    passes: (call) => call('send_email', sendTo(FRIEND)),
  },
  recipient_lookup_failed: {
    scene: lookUpFailing,
    modes: { ...sends, 'mail:manage': 'direct' },
    catches: (call) => call('send_email', sendTo(FRIEND)),
    // An action without recipients needs no lookup.
    passes: (call, [id]) => call('archive_email', { id }),
  },
  answers_automatic_mail: {
    scene: async () => {
      const scene = await openScene({ samples: () => [] });
      const account = { ownerId: scene.ownerId, accountId: 1, email: OWN, settings: async () => ({}) };
      const lines = (name: string) => [
        `From: ${FRIEND}`,
        `Subject: ${name}`,
        `Message-ID: <${name}@example.org>`,
      ];
      const person = [...lines('a'), 'Auto-Submitted: no', '', 'Text'];
      const program = [...lines('b'), 'Auto-Submitted: auto-generated', '', 'Text'];
      await scene.mail.deliver(account, 'INBOX', Buffer.from(person.join('\r\n')));
      await scene.mail.deliver(account, 'INBOX', Buffer.from(program.join('\r\n')));
      return scene;
    },
    modes: { 'mail:reply': 'direct' },
    catches: (call, [id]) => call('send_reply', { id, body: 'Text' }),
    passes: (call, [, id]) => call('send_reply', { id, body: 'Text' }),
  },
  answers_not_all: {
    scene: () =>
      openScene({
        samples: () => [
          letter('a', { minutesAgo: 1, replyTo: `${FRIEND}, bob@[192.0.2.1]` }),
          letter('b', { minutesAgo: 2, replyTo: `${FRIEND}, Kuhl Support` }),
        ],
      }),
    modes: { 'mail:reply': 'direct' },
    catches: (call, [id]) => call('send_reply', { id, body: 'Text' }),
    passes: (call, [, id]) => call('send_reply', { id, body: 'Text' }),
  },
  send_limit: {
    modes: sends,
    async catches(call) {
      for (let n = 1; n <= 5; n++) await call('send_email', sendTo(FRIEND, `Text ${n}`));
      return call('send_email', sendTo(FRIEND, 'Text 6'));
    },
    async passes(call) {
      for (let n = 1; n <= 4; n++) await call('send_email', sendTo(FRIEND, `Text ${n}`));
      return call('send_email', sendTo(FRIEND, 'Text 5'));
    },
  },
  likely_repeat: {
    modes: sends,
    async catches(call) {
      await call('send_email', sendTo(FRIEND, 'Text'));
      return call('send_email', sendTo(FRIEND, 'Text'));
    },
    async passes(call) {
      await call('send_email', sendTo(FRIEND, 'Text'));
      return call('send_email', sendTo(FRIEND, 'Another text'));
    },
  },
  several_messages: {
    scene: () => openScene({ samples, plan: 'free' }),
    modes: { 'mail:organize': 'direct' },
    catches: (call, ids) => call('mark_read', { ids }),
    passes: (call, [id]) => call('mark_read', { ids: [id] }),
  },
  server_may_write: {
    scene: () => theirEvents({ answersOrganizers: true }),
    modes: { 'calendar:write': 'direct' },
    catches: (call) => cancelNamed(call, 'Theirs'),
    passes: (call) => cancelNamed(call, 'Mine'),
  },
  shared_calendar: {
    scene: () => theirEvents({ access: 'shared' }),
    modes: { ...sends, 'calendar:write': 'direct' },
    catches: (call) => call('create_event', { title: 'New', start: '2027-03-01T09:00' }),
    // It changes no calendar.
    passes: (call) => call('send_email', sendTo(FRIEND)),
  },
  calendar_access_unknown: {
    scene: () => theirEvents({ access: 'unknown' }),
    modes: { ...sends, 'calendar:write': 'direct' },
    catches: (call) => cancelNamed(call, 'Mine'),
    passes: (call) => call('send_email', sendTo(FRIEND)),
  },
  from_stranger: {
    scene: () => openScene({ samples: strangersMail }),
    modes: sends,
    async catches(call, [id]) {
      await call('get_email', { id });
      return call('send_email', sendTo(FRIEND, 'Look at https://shop.example/'));
    },
    // Nobody has read the link.
    passes: (call) => call('send_email', sendTo(FRIEND, 'Look at https://shop.example/')),
  },
  differing_account: {
    scene: () => openScene({ samples: friendsInvoices }),
    modes: sends,
    besides: ['account_or_card_number'],
    async catches(call, ids) {
      for (const id of ids) await call('get_email', { id });
      return call('send_email', sendTo(FRIEND, 'Pay to DE48 1203 0000 1052 8471 63'));
    },
    async passes(call, ids) {
      for (const id of ids) await call('get_email', { id });
      return call('send_email', sendTo(FRIEND, 'I have paid.'));
    },
  },
  sender_not_proven: {
    scene: async () => {
      const scene = await openScene({ samples: () => [] });
      const receiver = 'mx.own.example';
      const account = accountOf(scene);
      await scene.storage.editAccount({ ...account, authservId: receiver });
      for (const result of ['none', 'fail']) {
        const lines = [
          `Authentication-Results: ${receiver}; dmarc=${result} header.from=example.org`,
          `Received: from mail.example.org by ${receiver}`,
          `From: ${FRIEND}`,
          `Subject: ${result}`,
          `Message-ID: <${result}@example.org>`,
        ];
        await scene.mail.deliver(account, 'INBOX', Buffer.from(`${lines.join('\r\n')}\r\n\r\nText`));
      }
      return scene;
    },
    modes: { 'mail:reply': 'direct' },
    catches: (call, [id]) => call('send_reply', { id, body: 'Text' }),
    // Nothing is proven, and nothing is disproven.
    passes: (call, [, id]) => call('send_reply', { id, body: 'Text' }),
  },
  passes_secret: {
    scene: () => openScene({ samples: doorCode }),
    modes: sends,
    besides: ['first_time_recipient'],
    async catches(call, [id]) {
      await call('get_email', { id });
      return call('send_email', sendTo(STRANGER, 'It opens with 739204.'));
    },
    async passes(call, [id]) {
      await call('get_email', { id });
      return call('send_email', sendTo(FRIEND, 'It opens with 739204.'));
    },
  },
  reads_not_compared: {
    scene: tooMuchRead,
    modes: sends,
    async catches(call, [id]) {
      await call('get_email', { id });
      return call('send_email', sendTo(FRIEND));
    },
    // Only the list was read.
    passes: (call) => call('send_email', sendTo(FRIEND)),
  },
  domains_not_compared: {
    modes: sends,
    catches: (call) => call('send_email', sendTo(FRIEND, hostsOf(40).join('\n'))),
    passes: (call) => call('send_email', sendTo(FRIEND, hostsOf(4).join('\n'))),
  },
  text_not_checked: {
    scene: () => openScene({ samples, reader: tooSlowFor('safety', 'stated') }),
    modes: sends,
    catches: (call) => call('send_email', sendTo(FRIEND, LONG_TEXT)),
    passes: (call) => call('send_email', sendTo(FRIEND)),
  },
  removes_notice: {
    scene: () => openScene({ samples: strangersMail }),
    modes: { 'mail:manage': 'direct' },
    catches: (call, [, notice]) => call('archive_email', { id: notice }),
    passes: (call, [id]) => call('archive_email', { id }),
  },
  into_sent_or_drafts: {
    modes: { 'mail:manage': 'direct' },
    catches: (call, [id]) => call('move_email', { id, target_folder: 'Drafts' }),
    passes: (call, [id]) => call('move_email', { id, target_folder: 'Projects/Atlas' }),
  },
};

const ROWS = Object.entries(CASES).map(([name, row]) => ({ name, ...row }));

describe.each(ROWS)('the hold $name', ({ name, scene: open = () => openScene({ samples }), ...row }) => {
  it('makes the call wait, and gives the reason to the owner but not to the agent', async () => {
    const scene = await open();
    const key = await scene.addKey('full', row.modes);
    const outcome = await row.catches(key.call, await idsIn(key));
    expect(outcome.status).toBe('pending_approval');
    const view = await scene.service.approvals.show(scene.ownerId, approvalOf(outcome).id);
    const besides = row.besides ?? [];
    expect(view?.approval.reasons.toSorted()).toEqual([name, ...besides].toSorted());
    expect(view?.isAlwaysAsked).toBe(name === 'mode_approval');
    expect(view?.findings.map(({ rule }) => rule)).toEqual(
      name === 'mode_approval' ? [] : [name, ...besides],
    );
    expect(JSON.stringify(outcome)).not.toContain(name);
  });

  it('does not hold a similar call', async () => {
    const scene = await open();
    const key = await scene.addKey('full', row.passesWith ?? row.modes);
    const outcome = await row.passes(key.call, await idsIn(key));
    expect(outcome).toMatchObject({ status: 'ok', executed: true });
  });
});

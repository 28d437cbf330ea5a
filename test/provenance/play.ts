import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { documentText } from '../../adapters/extract/document-text.ts';
import { sandboxCalendar } from '../../adapters/sandbox/calendar.ts';
import { sandboxMail } from '../../adapters/sandbox/mail.ts';
import { rawOf, type SampleMessage } from '../../adapters/sandbox/sample-message.ts';
import { createMessageHandles } from '../../core/call/message-handles.ts';
import type { Outcome } from '../../core/call/outcome.ts';
import { openPlan } from '../../core/execution/sealed-plan.ts';
import { escapedText, line, objectText } from '../../core/ical/content-lines.ts';
import { asciiDomain } from '../../core/mail/ascii-domain.ts';
import { REQUEST_FIELD } from '../../core/mail/compose.ts';
import { messageRow } from '../../core/mail/message-row.ts';
import type { MailAccount, MailCall } from '../../core/ports/mail.ts';
import type { ApprovalContent } from '../../core/requests/approval-views.ts';
import type { Finding, FindingSource } from '../../core/safety/finding.ts';
import { createKeyring } from '../../core/secrets/keyring.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/time/durations.ts';
import { approvalOf, resultOf, shownOf } from '../core/scene.ts';
import { openTestService, type TestKey, type TestService, testClock } from '../open-service.ts';
import { sqliteOnClock } from '../store-clock.ts';
import {
  type CalendarEntry,
  type Letter,
  OWNER,
  OWNER_ADDRESS,
  type Step,
  type Story,
  type Write,
} from './story.ts';

/** Plays stories in a real service, with the mailbox and calendar of the sandbox and SQLite. */

type RedFinding = Finding & { readonly source?: FindingSource | undefined };

/** When the write of every story is filed: a Tuesday, 10:00 in the owner's zone. */
const NOW = Date.parse('2026-11-24T09:00:00Z');
const TIMEZONE = 'Europe/Berlin';
/** No step is older. */
const STARTS_HOURS_AGO = 24;
const ACCOUNT_ID = 1;
/** The owner's own mail server. */
const RECEIVER = 'mx.lindholm.example';

export type World = Pick<Story, 'writtenTo' | 'alsoOwns' | 'mail' | 'events' | 'trackers'>;

export interface OpenWorld extends TestService {
  /** Makes the call at its time. Times never go back. */
  take(step: Step): Promise<Outcome>;
  /** Requests the write, which then waits for the owner. */
  file(write: Write, purpose?: string): Promise<Outcome>;
  /** What the owner would see of a filed write. */
  pageOf(outcome: Outcome): Promise<Extract<ApprovalContent, { kind: 'shown' }>>;
  /** The red findings of a filed write, as its plan stores them. */
  redFindingsOf(outcome: Outcome): Promise<readonly RedFinding[]>;
  /** The id of a message or event of the story, as findings name it. */
  sourceId(id: string): string;
  /** The id of a message of the story, as tools name it. */
  messageId(id: string): string;
}

/**
 * Opens a service whose owner knows the people of the story and whose mailbox contains its mail. No agent has
 * read any of it.
 */
export async function openWorld(world: World): Promise<OpenWorld> {
  const { writtenTo = {}, alsoOwns = [], mail: letters, events = [], trackers = [] } = world;
  const secretKeys = [randomBytes(32)];
  const clock = testClock();
  const moveTo = (hoursAgo: number) => clock.shift(NOW - hoursAgo * HOUR_MS - clock.now().getTime());
  moveTo(STARTS_HOURS_AGO);
  const storage = sqliteOnClock(':memory:', () => clock.now().getTime());
  const mail = sandboxMail({ samples: (owner) => earlierLetters(owner, writtenTo), now: clock.now });
  const calendar = sandboxCalendar({ samples: [], now: clock.now });
  const opened = await openTestService({
    email: OWNER_ADDRESS,
    timezone: TIMEZONE,
    mail,
    calendar,
    storage,
    clock,
    secretKeys,
    attachmentText: {
      extract: ({ bytes, name, mime }) => documentText(bytes, { name, mime }),
      close: async () => undefined,
    },
    limits: {
      callsPerMinute: 10_000,
      callsPerDay: 10_000,
      filedPerDay: 1000,
      waitingPerKey: 1000,
      waitingPerOwner: 1000,
    },
  });
  const { service, ownerId, addKey } = opened;
  await storage.editAccount({ ownerId, accountId: ACCOUNT_ID, authservId: RECEIVER });
  for (const email of alsoOwns) await service.accounts.connect({ ownerId, email, settings: {} });
  const keys = {
    // Every write of this one waits, so that its plan can be read.
    assistant: await addKey('full', { 'mail:organize': 'approval', 'trackers:write': 'approval' }),
    triage: await addKey('full'),
  };
  const numbers = await createTrackers(keys.triage, trackers);
  // Mail that arrives before the first look at the inbox is linked to no tracker.
  if (trackers.length > 0) await service.watch();
  const account: MailAccount = {
    ownerId,
    accountId: ACCOUNT_ID,
    email: OWNER_ADDRESS,
    settings: async () => ({}),
  };
  const oldestFirst = [...letters].sort((a, b) => b.hoursAgo - a.hoursAgo);
  for (const letter of oldestFirst) {
    const receivedAt = new Date(NOW - letter.hoursAgo * HOUR_MS);
    const sample = sampleOf(letter, 0);
    const head = sample.folder === 'Sent' ? sentHead(letter) : receivedHead(letter);
    const raw = Buffer.concat([Buffer.from(head), rawOf(sample, receivedAt)]);
    await mail.deliver(account, sample.folder, raw, receivedAt);
  }
  if (trackers.length > 0) await service.watch();
  for (const event of events) await calendar.put(account, `${event.id}.ics`, objectOf(event));

  const keyring = createKeyring(secretKeys, randomBytes);
  const handles = createMessageHandles(keyring, storage, clock);
  const call: MailCall = { account, signal: new AbortController().signal, deadlineMs: 5000 };
  const messageIds = new Map<string, string>();
  for (const path of new Set(letters.map(({ folder = 'INBOX' }) => folder))) {
    const { rows } = await mail.list(call, {
      path,
      unread: false,
      order: 'uid',
      after: undefined,
      limit: 1000,
    });
    for (const row of rows.map(messageRow)) {
      const id = row.messageId?.match(/^<(.*)@sample\.countersign\.test>$/)?.[1] ?? '';
      const [handle = ''] = await handles.idsOf(ownerId, [{ ...row, accountId: ACCOUNT_ID }]);
      messageIds.set(id, handle);
    }
  }
  const messageId = (id: string) => found(messageIds.get(id), `message ${id}`);
  const trackerId = (title: string) => found(numbers.get(title), `tracker ${title}`);
  const eventId = async (uid: string) => {
    const key = { calendar: 'Calendar', uid, recurrenceId: null };
    return found((await storage.eventNumbers(ownerId, ACCOUNT_ID, [key]))[0], `event ${uid}`);
  };

  const eventIds = new Map<string, string>();
  for (const { id } of events) eventIds.set(id, `event:${await eventId(id)}`);

  async function argumentsOf(write: Write): Promise<object> {
    switch (write.tool) {
      case 'send_reply':
      case 'forward_email': {
        const { tool: _tool, message, ...args } = write;
        return { ...args, id: messageId(message) };
      }
      case 'archive_email':
      case 'delete_email':
      case 'move_email':
      case 'label_email':
      case 'flag_email':
      case 'mark_read': {
        const { tool: _tool, messages, ...args } = write;
        return { ...args, ids: messages.map(messageId) };
      }
      case 'update_event':
      case 'confirm_event':
      case 'cancel_event': {
        const { tool: _tool, event, ...args } = write;
        return { ...args, event_id: await eventId(event) };
      }
      case 'add_tracker_note':
        return { tracker_id: trackerId(write.tracker), note: write.note };
      default: {
        const { tool: _tool, ...args } = write;
        return args;
      }
    }
  }

  function stepArguments(step: Step): object {
    switch (step.tool) {
      case 'search_inbox':
        return { q: step.q };
      case 'get_email':
      case 'get_thread':
        return { id: messageId(step.message) };
      case 'read_attachment':
        return { id: messageId(step.message), index: step.index ?? 0 };
      case 'get_tracker':
        return { tracker_id: trackerId(step.tracker) };
      case 'add_tracker_note':
        return { tracker_id: trackerId(step.tracker), note: step.note };
      default:
        return {};
    }
  }

  return {
    ...opened,
    messageId,
    async take(step) {
      moveTo(step.hoursAgo ?? 0);
      return keys[step.by ?? 'assistant'].call(step.tool, stepArguments(step));
    },
    async file(write, purpose) {
      moveTo(0);
      const args = await argumentsOf(write);
      return keys.assistant.call(write.tool, purpose === undefined ? args : { ...args, purpose });
    },
    sourceId: (id) => messageIds.get(id) ?? found(eventIds.get(id), `message or event ${id}`),
    async redFindingsOf(outcome) {
      const { id } = approvalOf(outcome);
      const approval = found(await storage.approval(ownerId, id), 'approval');
      const { findings } = openPlan(keyring, approval, found(await storage.plan(ownerId, id), 'plan'));
      return findings.filter(({ severity }) => severity === 'red');
    },
    pageOf: (outcome) => shownOf(opened, approvalOf(outcome).id),
  };
}

/** Returns all texts of a result. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

const createdTracker = z.looseObject({ tracker_id: z.int() });

async function createTrackers(
  key: TestKey,
  trackers: NonNullable<World['trackers']>,
): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>();
  for (const { title, keywords } of trackers) {
    const result = resultOf(await key.call('create_tracker', { title, keywords }));
    numbers.set(title, createdTracker.parse(result).tracker_id);
  }
  return numbers;
}

/** What the owner wrote before the story starts: at most one message a day, the last one two weeks ago. */
function earlierLetters(owner: string, writtenTo: Readonly<Record<string, number>>): SampleMessage[] {
  return Object.entries(writtenTo).flatMap(([to, times]) =>
    Array.from({ length: times }, (_, index) => ({
      folder: 'Sent',
      minutesAgo: ((14 + index) * DAY_MS) / MINUTE_MS,
      id: `earlier-${index}-${to}`,
      from: owner,
      to,
      subject: 'Earlier',
      text: 'Thank you, that works for me.\n\nAlex\n',
    })),
  );
}

/** What a message in Sent has above the rest. */
function sentHead({ isByProgram = false }: Letter): string {
  return isByProgram ? `${REQUEST_FIELD}: 1\r\n` : '';
}

/** What the owner's server writes above a message that it received. */
function receivedHead({ from, isUnproven = false }: Letter): string {
  const [, host = ''] = /@([^@>]*)>?$/.exec(from) ?? [];
  const passed = `Authentication-Results: ${RECEIVER}; dmarc=pass header.from=${asciiDomain(host) ?? host}`;
  const received = `Received: from ${host} by ${RECEIVER}`;
  return (isUnproven ? [received, passed] : [passed, received]).map((one) => `${one}\r\n`).join('');
}

function sampleOf(letter: Letter, minutesAgo: number): SampleMessage {
  const {
    hoursAgo: _hoursAgo,
    isUnproven: _isUnproven,
    isByProgram: _isByProgram,
    folder = 'INBOX',
    to = OWNER,
    attachments,
    ...rest
  } = letter;
  const files = attachments?.map(({ name, mime, text }) => ({ name, mime, content: Buffer.from(text) }));
  return { ...rest, folder, to, minutesAgo, ...(files === undefined ? {} : { attachments: files }) };
}

function objectOf(entry: CalendarEntry) {
  const { id, title, description, start, durationMin, organizer, attendees = [], tentative } = entry;
  const startMs = Date.parse(`${start}Z`);
  const utc = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
  const items = [
    line('UID', id),
    line('DTSTAMP', utc(NOW - DAY_MS)),
    line('SUMMARY', escapedText(title)),
    ...(description === undefined ? [] : [line('DESCRIPTION', escapedText(description))]),
    line('DTSTART', utc(startMs)),
    line('DTEND', utc(startMs + durationMin * MINUTE_MS)),
    line('STATUS', tentative ? 'TENTATIVE' : 'CONFIRMED'),
    ...(organizer === undefined ? [] : [line('ORGANIZER', `mailto:${organizer}`)]),
    ...attendees.map((attendee) => line('ATTENDEE', `mailto:${attendee}`)),
  ];
  const head = [line('VERSION', '2.0'), line('PRODID', '-//Countersign//stories//EN')];
  return objectText({ name: 'VCALENDAR', items: [...head, { name: 'VEVENT', items }] });
}

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the story has no ${what}`);
  return value;
}

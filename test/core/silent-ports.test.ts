import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import { accountPorts } from '../../core/accounts/account-ports.ts';
import type { AttachmentText } from '../../core/ports/attachment-text.ts';
import type { Calendar } from '../../core/ports/calendar.ts';
import type { Mail } from '../../core/ports/ports.ts';
import { object } from '../contracts/calendar/scene.ts';
import { eventsOn } from '../events-on.ts';
import { inlineIndex } from '../inline-index.ts';
import { casesOf } from '../only-long.ts';
import { silentLog, type TestKey } from '../open-service.ts';
import { callOf, objectsOf, put } from './calendar-scene.ts';
import {
  approvalOf,
  FRIEND,
  firstId,
  idsIn,
  letter,
  OWN,
  openScene,
  resultOf,
  type Scene,
  sendTo,
  wordOf,
} from './scene.ts';
import { handClock, settled } from './service/hand-clock.ts';

// Every method of every port stays silent once, in each call that uses it, and ignores its signal. The call answers
// nevertheless, and leaves nothing busy.

/** A caller waits for 25 s. */
const ANSWERED_MS = 26_000;
/** A store that was silent cannot end the call, so its slot and claim are free when their leases end. */
const LEASE_MS = 30_000;

const PORTS = ['mail', 'mailIndex', 'calendar', 'storage', 'reader', 'attachmentText'] as const;
type PortName = (typeof PORTS)[number];

/** The same port, whose methods go `through` first. */
function intercepted<P extends object>(
  port: P,
  through: (name: string, goOn: (args: unknown[]) => unknown, args: unknown[]) => unknown,
): P {
  return new Proxy(port, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function' || typeof name !== 'string') return method;
      const goOn = (args: unknown[]): unknown => Reflect.apply(method, target, args);
      return (...args: unknown[]) => through(name, goOn, args);
    },
  });
}

/** Ports that record which methods are called, one of which never answers. */
function ports() {
  let silent: string | undefined;
  const counts = new Map<string, number>();
  return {
    counts,
    record: <P extends object>(port: PortName, from: P): P =>
      intercepted(from, (name, goOn, args) => {
        const path = `${port}.${name}`;
        counts.set(path, (counts.get(path) ?? 0) + 1);
        return path === silent ? new Promise(() => undefined) : goOn(args);
      }),
    silence(path: string | undefined) {
      silent = path;
      counts.clear();
    },
  };
}

const plainText: AttachmentText = {
  extract: async () => ({ kind: 'text', text: 'Text of the file', cut: false }),
  close: async () => undefined,
};

async function open(hasIndex = false) {
  const hand = handClock();
  const { record, ...silence } = ports();
  const scene = await openScene({
    clock: { ...hand.clock, shift: () => undefined },
    timezone: 'Europe/Zurich',
    leaseMs: LEASE_MS,
    limits: { callsPerMinute: 100_000, callsPerDay: 100_000, concurrentCalls: 1 },
    reader: record('reader', inlineReader()),
    attachmentText: record('attachmentText', plainText),
    ...(hasIndex && { mailIndex: record('mailIndex', inlineIndex()) }),
    mailAs: (mail) => record<Mail>('mail', mail),
    calendarAs: (calendar) => record<Calendar>('calendar', calendar),
    storageAs: (storage) => record('storage', storage),
    samples: () => [
      // The owner's own message, as a mailing list sends it back.
      letter('own', { from: OWN, to: FRIEND, minutesAgo: 1000 }),
      letter('1', {
        attachments: [{ name: 'notes.txt', mime: 'text/plain', content: Buffer.from('Notes') }],
      }),
    ],
  });
  await put(scene, 'lunch.ics', object('lunch', 'DTSTART:20261124T110000Z', 'DURATION:PT1H'));
  const key = await scene.addKey('full', {
    'mail:organize': 'direct',
    'mail:manage': 'direct',
    'mail:send': 'direct',
    'calendar:write': 'direct',
  });
  return { scene, key, hand, ...silence };
}

interface Call {
  readonly tool: string;
  /** An index stands beside the mailbox. */
  readonly hasIndex?: true;
  args(scene: Scene, key: TestKey): Promise<Record<string, unknown>>;
}

const of = (tool: string, args: Call['args'] = async () => ({})): Call => ({ tool, args });
const withId = (tool: string, more: Record<string, unknown> = {}) =>
  of(tool, async (_scene, key) => ({ id: await firstId(key), ...more }));
const withOldest = (tool: string, more: Record<string, unknown>) =>
  of(tool, async (_scene, key) => ({ id: (await idsIn(key)).at(-1), ...more }));
const ofEvent = (tool: string, more: Record<string, unknown> = {}) =>
  of(tool, async (_scene, key) => {
    const { events } = eventList.parse(resultOf(await key.call('list_events')));
    return { event_id: events[0]?.event_id, ...more };
  });
const eventList = z.looseObject({ events: z.array(z.looseObject({ event_id: z.int() })) });

/** What the owner does, and the service by itself. A failure is an end too. */
const OTHER_WORK: readonly (readonly [name: string, work: (scene: Scene) => Promise<unknown>])[] = [
  ['connects an account', (scene) => scene.service.accounts.connect(another(scene))],
  ['checks an account', (scene) => scene.service.accounts.check(scene.ownerId, 1)],
  ['looks at its folders', (scene) => scene.service.accounts.folders(scene.ownerId, 1)],
  ['looks at its calendars', (scene) => scene.service.accounts.calendarsOf(scene.ownerId, 1)],
  ['removes an account', (scene) => scene.service.accounts.remove(scene.ownerId, 1)],
  ['looks for new mail', (scene) => scene.service.watch()],
];

const another = ({ ownerId }: Scene) => ({ ownerId, email: 'other@example.org', settings: {} });

const CALLS: readonly Call[] = [
  of('get_me'),
  of('list_accounts'),
  of('list_folders'),
  of('summarize_inbox'),
  of('list_unread'),
  of('search_inbox', async () => ({ q: 'Text' })),
  { ...of('search_inbox', async () => ({ q: 'Text', unread: true })), hasIndex: true },
  withId('get_email'),
  withId('get_thread'),
  { ...withId('get_thread'), hasIndex: true },
  withId('list_attachments'),
  withId('read_attachment', { index: 0 }),
  of('get_email', async (_scene, key) => {
    const id = await firstId(key);
    resultOf(await key.call('move_email', { id, target_folder: 'Archive' }));
    return { id };
  }),
  withId('mark_read'),
  withId('flag_email'),
  withId('label_email', { label: 'Later' }),
  withId('move_email', { target_folder: 'Archive' }),
  withId('archive_email'),
  withId('send_reply', { body: 'Thanks' }),
  withOldest('send_reply', { body: 'One more thing' }),
  withId('forward_email', { to: [FRIEND] }),
  of('send_email', async () => sendTo(FRIEND)),
  of('send_email', async () => sendTo('stranger@example.org')),
  of('list_events'),
  of('create_event', async () => ({ title: 'Planning', start: '2027-03-01T09:00' })),
  ofEvent('update_event', { title: 'Other' }),
  ofEvent('cancel_event'),
  of('list_approvals'),
  of('list_trackers'),
  of('create_tracker', async () => ({ title: 'Atlas' })),
];

/** Moves the clock until `work` has ended, at most by `ms`. @returns whether it has */
async function endsWithin({ moveTo, nowMs }: Hand, ms: number, work: Promise<unknown>): Promise<boolean> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  work.then(end, end);
  const untilMs = nowMs() + ms;
  for (let turn = 0; turn < 40 && !hasEnded; turn += 1) await settled();
  for (let at = nowMs(); at <= untilMs && !hasEnded; at += 500) {
    await moveTo(at);
    for (let turn = 0; turn < 5 && !hasEnded; turn += 1) await settled();
  }
  return hasEnded;
}

type Hand = ReturnType<typeof handClock>;

/** Every method that some call has used. */
const used = new Set<string>();

/** The methods that the work uses, by port. */
async function methodsOf(
  prepare: (opened: Opened) => Promise<() => Promise<unknown>>,
  hasIndex = false,
): Promise<string[]> {
  const opened = await open(hasIndex);
  const work = await prepare(opened);
  opened.silence(undefined);
  const done = work();
  expect(await endsWithin(opened.hand, ANSWERED_MS, done)).toBe(true);
  await done;
  const methods = [...opened.counts.keys()];
  for (const one of methods) used.add(one);
  return methods;
}

/** In the gate, every method of a mailbox, a calendar or a reader, and a quarter of the storage's, in turn. */
function silencedIn(methods: readonly string[], index: number): readonly string[] {
  return casesOf(
    'silent ports: storage',
    methods,
    (method, at) => !method.startsWith('storage.') || at % 4 === index % 4,
  );
}

type Opened = Awaited<ReturnType<typeof open>>;

describe('a port that never answers', () => {
  it.each(CALLS.map((call, index) => [call.tool, index, call] as const))(
    'does not keep %s (%i) from its answer, nor the key from its next call',
    async (tool, index, { args, hasIndex }) => {
      const failures: string[] = [];
      const methods = await methodsOf(async ({ scene, key }) => {
        const given = await args(scene, key);
        return async () => expect(wordOf(await key.call(tool, given, 'once'))).toMatch(/^(ok|empty|pending)/);
      }, hasIndex);
      for (const method of silencedIn(methods, index)) {
        const { scene, key, hand, silence } = await open(hasIndex);
        const given = await args(scene, key);
        silence(method);
        const answer = key.call(tool, given, 'once');
        if (!(await endsWithin(hand, ANSWERED_MS, answer))) {
          failures.push(`${method}: no answer`);
          continue;
        }
        const first = wordOf(await answer);
        silence(undefined);
        if (method.startsWith('storage.')) await hand.moveTo(hand.nowMs() + LEASE_MS);
        const next = wordOf(await key.call('get_me'));
        const repeated = key.call(tool, given, 'once');
        await endsWithin(hand, ANSWERED_MS, repeated);
        const again = wordOf(await repeated);
        if (next !== 'ok' || again === 'idempotency_key_in_progress' || again === 'busy')
          failures.push(`${method}: ${first}, then ${next}, ${again}`);
      }
      expect(failures).toEqual([]);
    },
  );

  it.each(OTHER_WORK.map(([name, work], index) => [name, index, work] as const))(
    'does not keep the service from going on when it or its owner %s',
    async (_name, index, work) => {
      const failures: string[] = [];
      const prepare = async ({ scene, key }: Opened) => {
        resultOf(await key.call('create_tracker', { title: 'Atlas', keywords: 'text' }));
        return () => work(scene);
      };
      for (const method of silencedIn(await methodsOf(prepare), index)) {
        const opened = await open();
        const begin = await prepare(opened);
        opened.silence(method);
        // One work may use several ports, each within its own limit.
        if (!(await endsWithin(opened.hand, 3 * 60_000, begin()))) failures.push(method);
      }
      expect(failures).toEqual([]);
    },
  );

  it('does not end the watch of an inbox for good: it is opened again', async () => {
    const { scene, key, hand, silence, counts } = await open();
    resultOf(await key.call('create_tracker', { title: 'Atlas', keywords: 'text' }));
    silence('mail.watchInbox');
    scene.service.start();
    for (let minute = 1; minute <= 4; minute += 1) {
      await hand.moveTo(minute * 60_000);
      for (let turn = 0; turn < 20; turn += 1) await settled();
    }
    expect(counts.get('mail.watchInbox')).toBeGreaterThanOrEqual(2);
    used.add('mail.watchInbox');
    silence(undefined);
    const stopped = scene.service.stop();
    expect(await endsWithin(hand, 60_000, stopped)).toBe(true);
  });

  it('was tested with every method of a mailbox, a calendar and the readers', async () => {
    const { scene } = await open();
    const { mail, calendar } = accountPorts({ ...scene, calendar: eventsOn(scene.calendar), log: silentLog });
    const methods = [
      ...Object.keys(mail).map((name) => `mail.${name}`),
      ...Object.keys(calendar ?? {}).map((name) => `calendar.${name}`),
      ...['reader.read', 'attachmentText.extract'],
    ];
    // The documents of iCalendar objects are read by the reader. A close is part of a stop.
    const others = ['mail.close', 'calendar.documents', 'calendar.close'];
    expect(methods.filter((name) => !used.has(name))).toEqual(others);
  });
});

/** The ports of a scene in which one method waits, deaf to its signal, until the test lets it go on. */
async function openLate(port: 'mail' | 'calendar', late: string) {
  const hand = handClock();
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const deaf = new AbortController().signal;
  const goOnLate = async (goOn: (args: unknown[]) => unknown, [call, ...args]: unknown[]) => {
    await gate;
    return goOn([Object.assign({}, call, { signal: deaf }), ...args]);
  };
  const delayed = <P extends object>(from: P): P =>
    intercepted(from, (name, goOn, args) => (name === late ? goOnLate(goOn, args) : goOn(args)));
  const scene = await openScene({
    clock: { ...hand.clock, shift: () => undefined },
    mailAs: (mail) => (port === 'mail' ? delayed<Mail>(mail) : mail),
    calendarAs: (calendar) => (port === 'calendar' ? delayed(calendar) : calendar),
  });
  await put(scene, 'lunch.ics', object('lunch', 'DTSTART:20261124T110000Z', 'DURATION:PT1H'));
  const modes = { 'mail:manage': 'direct', 'mail:send': 'direct', 'calendar:write': 'direct' } as const;
  return { scene, key: await scene.addKey('full', modes), hand, letGo };
}

describe('a port that continues after the end of its call', () => {
  it.each([
    ['mail', 'setFlag', withId('mark_read')],
    ['mail', 'move', withId('move_email', { target_folder: 'Archive' })],
    ['mail', 'label', withId('label_email', { label: 'Later' })],
    ['mail', 'transmit', of('send_email', async () => sendTo(FRIEND))],
    ['calendar', 'write', of('create_event', async () => ({ title: 'Planning', start: '2027-03-01T09:00' }))],
    ['calendar', 'remove', ofEvent('cancel_event')],
  ] as const)('no longer changes anything: %s.%s', async (port, method, { tool, args }) => {
    const { scene, key, hand, letGo } = await openLate(port, method);
    const given = await args(scene, key);
    const before = await stateOfAll(scene, key);
    const outcome = key.call(tool, given);
    expect(await endsWithin(hand, ANSWERED_MS, outcome)).toBe(true);
    // A run has eleven minutes, of which its caller waits for 25 s.
    await hand.moveTo(hand.nowMs() + 15 * 60_000);
    const { status } = await outcome;
    if (status === 'pending_approval') {
      const { id } = approvalOf(await outcome);
      expect((await scene.storage.approval(scene.ownerId, id))?.state).toBe('failed');
    } else expect(status).toBe('error');
    letGo();
    for (let turn = 0; turn < 20; turn += 1) await settled();
    expect(await stateOfAll(scene, key)).toEqual(before);
  });
});

async function stateOfAll(scene: Scene, key: TestKey) {
  return {
    unread: resultOf(await key.call('list_unread')).total,
    inbox: await idsIn(key),
    keywords: await scene.mail.keywords(callOf(scene).account, 'INBOX'),
    transmitted: scene.mail.transmitted(),
    objects: await objectsOf(scene),
  };
}

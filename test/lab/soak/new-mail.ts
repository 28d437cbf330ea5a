import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { callWith } from '../../open-service.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { deliverByLmtp } from '../../servers/lmtp.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { startPostfix } from '../../servers/postfix.ts';
import { startPostgres } from '../../servers/postgres.ts';
import { type MailProxy, startProxy } from '../../servers/proxy.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../servers/webhook-receiver.ts';
import { below, type Dice, dice, oneOf } from './mutation.ts';
import { ANSWER_FAULTS, receiveEvents } from './new-mail-events.ts';
import { type Comparison, compare } from './new-mail-ledger.ts';
import { startNewMailProcess } from './new-mail-process.ts';
import { type NewMailScene, openNewMailScene } from './new-mail-scene.ts';

/**
 * The soak of new mail: Dovecot receives messages while the processes of the service are killed, connections are cut,
 * the receiver fails and the inbox gets a new UIDVALIDITY. Then the faults stop. In the end every message must have been
 * reported and linked, and nothing else.
 */
export interface NewMailSoakOptions {
  /** The bundled `new-mail-actor.ts`. */
  readonly actorFile: string;
  readonly seed: number;
  /** The faults stop at this time, in milliseconds since 1970, but not before each kind has happened. */
  readonly until: number;
  readonly database: 'sqlite' | 'postgres';
  readonly progress?: (line: string) => void;
}

export interface NewMailReport extends Pick<Comparison, 'reportedTwice'> {
  readonly delivered: number;
  /** Messages that Dovecot may have saved: it gave no answer. */
  readonly uncertain: number;
  /** Messages that were reported before the faults stopped. */
  readonly reportedDuringFaults: number;
  readonly events: number;
  /** Webhook requests, repeats included. */
  readonly requests: number;
  readonly links: number;
  readonly happened: Readonly<Record<Happening, number>>;
  /** Empty if the soak passed. */
  readonly faults: readonly string[];
  /** The last warnings and errors of the service, if the soak failed. */
  readonly log: string;
}

const HAPPENINGS = [
  'burst',
  'kill',
  'cut at a command',
  'cut of all IMAP connections',
  'new UIDVALIDITY',
  ...ANSWER_FAULTS,
  'cut of all webhook connections',
] as const;
type Happening = (typeof HAPPENINGS)[number];

const PROCESSES = 2;
/** Means of random times. */
const MEAN_MS = {
  processLife: 8000,
  restart: 500,
  delivery: 1500,
  cutAtCommand: 3000,
  imapCut: 7000,
  webhookCut: 7000,
  uidValidity: 10_000,
};
/** The share of deliveries that are bursts; the first one is. */
const BURST_SHARE = 0.2;
const BURST_MOST = 30;
const OLD_MESSAGES = 10;
/** A watched inbox may need no command for long. */
const CUT_WITHIN_MS = 5000;
const TRY_AGAIN_MS = 100;
const LOOK_MS = 500;
const PROGRESS_MS = 30_000;
/** SQLite: makes every webhook attempt due once the faults have stopped. */
const AHEAD_MS = 6 * 3_600_000;
/** Postgres has its own clock, so the second retry of a webhook comes after 10 minutes. */
const QUIET_MS = { sqlite: 120_000, postgres: 15 * 60_000 };

export async function soakNewMail(options: NewMailSoakOptions): Promise<NewMailReport> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-new-mail-'));
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
  try {
    const dovecot = await startDovecot({ tls: false });
    closing.push(() => dovecot.stop());
    const postfix = await startPostfix(dovecot, { tls: false });
    closing.push(() => postfix.stop());
    const proxy = await startProxy('imap', dovecot.port);
    closing.push(() => proxy.stop());
    const receiver = await startWebhookReceiver();
    closing.push(() => receiver.close());
    let database = join(folder, 'soak.db');
    if (options.database === 'postgres') {
      const postgres = await startPostgres();
      closing.push(() => postgres.stop());
      database = await postgres.createDatabase();
    }
    const scene: NewMailScene = { database, ca: receiver.ca, storeAheadMs: 0 };
    const { service, storage } = openNewMailScene(scene, () => undefined);
    closing.push(() => service.stop());
    const logFile = join(folder, 'log');
    return await playNewMail(options, {
      dovecot,
      smtpPort: postfix.port,
      proxy,
      receiver,
      scene,
      service,
      storage,
      logFile,
    });
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

interface Place extends ReturnType<typeof openNewMailScene> {
  readonly dovecot: Dovecot;
  readonly smtpPort: number;
  readonly proxy: MailProxy;
  readonly receiver: WebhookReceiver;
  readonly scene: NewMailScene;
  readonly logFile: string;
}

async function playNewMail(options: NewMailSoakOptions, place: Place): Promise<NewMailReport> {
  const { actorFile, seed, until, progress = () => undefined } = options;
  const { dovecot, proxy, receiver, scene, service, storage, logFile } = place;
  const user = dovecot.addUser();
  for (let n = 1; n <= OLD_MESSAGES; n += 1) {
    await dovecot.deliver(user, rawMessage(`Old message ${n}`), {
      receivedAt: new Date(Date.now() - 3_600_000),
    });
  }
  const { ownerId, apiKey, trackerId, secret } = await connect(place, addressOf(user));

  const happened = Object.fromEntries(HAPPENINGS.map((name) => [name, 0])) as Record<Happening, number>;
  const faults: string[] = [];
  const delivered = new Set<string>();
  const uncertain = new Set<string>();
  const received = receiveEvents(receiver, {
    secret,
    roll: dice(seed + 1),
    async readSubject(messageId) {
      const outcome = await callWith(service, apiKey, 'get_email', { id: messageId });
      return outcome.status === 'ok'
        ? z.object({ subject: z.string() }).parse(outcome.result).subject
        : undefined;
    },
    onAnswerFault(fault) {
      happened[fault] += 1;
    },
    onWrong: (what) => faults.push(what),
  });

  let sent = 0;
  async function deliver(count: number): Promise<void> {
    const subjects = Array.from({ length: count }, () => `Soak message ${++sent}`);
    const deliveredBefore = delivered.size;
    const accept = (index: number) => delivered.add(subjects[index] ?? '');
    try {
      await deliverByLmtp(dovecot, user, subjects.map(rawMessage), accept);
    } catch {
      // The message that got no answer may have been saved; those after it were not sent.
      uncertain.add(subjects[delivered.size - deliveredBefore] ?? '');
    }
  }

  let uidValidity = Math.floor(Date.now() / 1000);
  async function changeUidValidity(): Promise<void> {
    uidValidity += 1;
    await dovecot.doveadm('mailbox update', user, ['--uid-validity', String(uidValidity), 'INBOX']);
  }

  async function look(): Promise<Comparison & { readonly links: number }> {
    const stored = [];
    for (;;) {
      const page = await storage.events({ ownerId, afterId: stored.at(-1)?.sequence ?? 0, limit: 1000 });
      if (page.length === 0) break;
      stored.push(...page);
    }
    const tracker = await storage.tracker({ ownerId, trackerId, upTo: undefined, limit: 1_000_000 });
    const linked = (tracker?.links ?? []).map(({ content }) =>
      content.kind === 'mail' ? content.message.subject : content.kind,
    );
    const storedEventIds = stored.map(({ id }) => id);
    const compared = compare({ delivered, uncertain, events: received.events, storedEventIds, linked });
    return { ...compared, links: linked.length };
  }

  async function untilComplete(endMs: number): Promise<void> {
    while (Date.now() < endMs && (await look()).missing.length > 0) await delay(LOOK_MS);
  }

  const over = new AbortController();
  /** Repeats an action at random times until the faults stop. */
  async function atRandom(number: number, meanMs: number, act: (roll: Dice) => Promise<void> | void) {
    const roll = dice(seed + number);
    let isOver = await isAborted(roll() * meanMs, over.signal);
    while (!isOver) {
      await act(roll);
      isOver = await isAborted(2 * roll() * meanMs, over.signal);
    }
  }

  /**
   * Returns a wait for a message that was reported since it last ended; the first time there is none. On a slow machine,
   * faults by the clock alone would let nothing be reported.
   */
  function betweenReports(): () => Promise<void> {
    let before = -1;
    return async () => {
      while (received.reported() === before && !(await isAborted(TRY_AGAIN_MS, over.signal)));
      before = received.reported();
    };
  }

  /** Repeats a fault at random times, at most once for each message that is reported. */
  async function faultAtRandom(number: number, meanMs: number, act: (roll: Dice) => Promise<void> | void) {
    const untilReport = betweenReports();
    await atRandom(number, meanMs, async (roll) => {
      await untilReport();
      if (!over.signal.aborted) await act(roll);
    });
  }

  async function runProcesses(number: number): Promise<void> {
    const untilReport = betweenReports();
    await atRandom(number, MEAN_MS.restart, async (roll) => {
      const running = startNewMailProcess(actorFile, scene, logFile);
      await isAborted(2 * roll() * MEAN_MS.processLife, over.signal);
      await untilReport();
      if (await running.kill()) happened.kill += 1;
      else faults.push('a process ended by itself');
    });
  }

  const playing = Promise.all([
    atRandom(2, MEAN_MS.delivery, async (roll) => {
      const isBurst = happened.burst === 0 || roll() < BURST_SHARE;
      if (isBurst) happened.burst += 1;
      await deliver(isBurst ? 2 + below(roll, BURST_MOST - 1) : 1);
    }),
    faultAtRandom(3, MEAN_MS.cutAtCommand, async (roll) => {
      const does = oneOf(roll, ['cut before', 'cut unanswered', 'cut answered'] as const);
      const isCut = proxy.script({ at: 1 + below(roll, 4), does }).then(() => {
        happened['cut at a command'] += 1;
      });
      await Promise.race([isCut, isAborted(CUT_WITHIN_MS, over.signal)]);
    }),
    faultAtRandom(4, MEAN_MS.imapCut, () => {
      if (proxy.drop()) happened['cut of all IMAP connections'] += 1;
    }),
    faultAtRandom(5, MEAN_MS.webhookCut, () => {
      receiver.drop();
      happened['cut of all webhook connections'] += 1;
    }),
    faultAtRandom(6, MEAN_MS.uidValidity, async () => {
      await changeUidValidity();
      happened['new UIDVALIDITY'] += 1;
    }),
    ...Array.from({ length: PROCESSES }, (_, index) => runProcesses(10 + index)),
  ]);
  let progressMs = Date.now();
  try {
    while (Date.now() < until || HAPPENINGS.some((name) => happened[name] === 0)) {
      await Promise.race([playing, delay(TRY_AGAIN_MS)]);
      if (Date.now() < progressMs + PROGRESS_MS) continue;
      progressMs = Date.now();
      progress(`${delivered.size} delivered, ${received.reported()} reported, ${happened.kill} kills`);
    }
  } finally {
    over.abort();
  }
  await playing;

  const reportedDuringFaults = received.reported();
  void proxy.script();
  received.calm();
  // Everything that was reported must stay old.
  await changeUidValidity();
  const storeAheadMs = options.database === 'sqlite' ? AHEAD_MS : 0;
  const last = startNewMailProcess(actorFile, { ...scene, storeAheadMs }, logFile);
  const quietMs = Date.now() + QUIET_MS[options.database];
  await untilComplete(quietMs);
  await deliver(1);
  await untilComplete(quietMs);
  if ((await last.stop()) !== 0) faults.push('the last process did not stop cleanly');
  await received.stop();

  const { missing, wrong, reportedTwice, links } = await look();
  const allFaults = [...faults, ...missing, ...wrong];
  return {
    delivered: delivered.size,
    uncertain: uncertain.size,
    reportedDuringFaults,
    events: received.events.length,
    requests: received.requests,
    links,
    happened,
    reportedTwice,
    faults: allFaults,
    log: allFaults.length === 0 ? '' : readFileSync(logFile, 'utf8').split('\n').slice(-200).join('\n'),
  };
}

/** Connects the inbox, and adds an endpoint and a tracker that wait for its mail. */
async function connect({ service, receiver, proxy, smtpPort }: Place, email: string) {
  const { ownerId } = await service.owners.create({ email });
  const server = { host: '127.0.0.1', security: 'none', user: email, pass: PASSWORD } as const;
  const settings = { imap: { ...server, port: proxy.port }, smtp: { ...server, port: smtpPort } };
  await service.accounts.connect({ ownerId, email, settings });
  const { keyId, apiKey } = await service.keys.create({ ownerId, name: 'agent', preset: 'full', modes: {} });
  const { secret } = await service.webhooks.add({ ownerId, keyId, url: `${receiver.origin}/hook` });
  const outcome = await callWith(service, apiKey, 'create_tracker', { title: 'Soak', keywords: 'message' });
  if (outcome.status !== 'ok') throw new Error(`create_tracker: ${outcome.status}`);
  const { tracker_id: trackerId } = z.object({ tracker_id: z.int() }).parse(outcome.result);
  return { ownerId, apiKey, secret, trackerId };
}

function rawMessage(subject: string): string {
  const head = ['From: Maya <maya@mail.example>', `Subject: ${subject}`];
  const id = `Message-ID: <${subject.replaceAll(' ', '-')}@mail.example>`;
  return [...head, id, 'Date: Fri, 20 Nov 2026 10:00:00 +0000', '', 'Text', ''].join('\r\n');
}

/** Waits, or until the signal. @returns whether it was aborted */
async function isAborted(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return signal.aborted;
}

/** The closing lines of the output. */
export function newMailLines({ seed, database }: NewMailSoakOptions, report: NewMailReport): string {
  const { delivered, uncertain, reportedDuringFaults, events, requests, links, happened } = report;
  return [
    `soak of new mail with seed ${seed} on ${database}: ${delivered} messages delivered, ${uncertain} more perhaps`,
    `${reportedDuringFaults} reported before the faults stopped`,
    `${events} events, ${requests} requests (${requests - events} repeats), ${links} links`,
    `${report.reportedTwice.length} messages reported by more than one event`,
    HAPPENINGS.map((name) => `${name}: ${happened[name]}`).join(', '),
    ...report.faults,
    `${report.faults.length} faults`,
  ].join('\n');
}

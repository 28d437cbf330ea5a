import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { caldavCalendar } from '../../adapters/caldav/calendar.ts';
import type { CaldavSettings } from '../../adapters/caldav/settings.ts';
import { imapMail } from '../../adapters/imap/mail.ts';
import type { ImapSettings, MailServer } from '../../adapters/imap/settings.ts';
import { processReader } from '../../adapters/reader/process-reader.ts';
import type { Outcome } from '../../core/call/outcome.ts';
import { heldBytes } from '../caches/heap.ts';
import { object } from '../contracts/calendar/scene.ts';
import { isLong, sizeOf } from '../only-long.ts';
import { callWith, openTestService } from '../open-service.ts';
import { bundleForChild } from '../run-typescript.ts';
import { putObject } from '../servers/calendar-user.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';
import { RADICALE_PROGRAMS, type Radicale, startRadicale } from '../servers/radicale.ts';
import {
  ODD_CALDAV,
  ODD_IMAP,
  ODD_IMAP_STARTTLS,
  ODD_SMTP,
  ODD_SMTP_STARTTLS,
  ODD_TLS,
  type Odd,
} from './behaviours.ts';
import { type OddServer, startOddServer } from './odd-server.ts';

// Servers behave oddly, again and again. Each call ends at its limit, and leaves nothing behind: no connection, no slot,
// no memory. Once the server is well, the account works.

/** A caller waits for 25 s. */
const CALL_MS = 26_000;
/** A message that is sent may be on its way for 11 min. */
const SEND_MS = 12 * 60_000;
/** How long a server behaves oddly before the time of the call is over. */
const ODD_MS = 40;
const FLOW_MS = 5;
const JUMP_MS = 500;
const ROUNDS = sizeOf('odd servers: rounds', 200, 1);
/**
 * What a call may leave behind, measured over many. A socket alone takes several times as much. V8 goes on compiling what
 * is called again and again: up to 600 bytes a call where few accounts are played.
 */
const LEFT_BYTES = 1024;
const KNOWN = 'known@other.example';

/** How a call ends at a server that is odd, if something else than `not done` is right. */
const ENDS: Readonly<Record<string, string>> = { 'takes half a message': 'outcome_unknown' };
const MEANING: Readonly<Record<string, string>> = {
  ...{ upstream_mail_error: 'not done', failed: 'not done' },
  ...{ ok: 'done', executed: 'done' },
};

type Settings = ImapSettings & CaldavSettings;
type Security = MailServer['security'];

let dovecot: Dovecot;
let plainPostfix: Postfix;
let postfix: Postfix;
let radicale: Radicale;
let workerFile: string;

interface Account {
  readonly name: string;
  readonly server: OddServer;
  readonly apiKey: string;
  behaveOddly(): void;
}

interface Calls {
  readonly tool: string;
  args(): Record<string, unknown>;
  /** How long the work of a call may go on. */
  readonly mostMs: number;
}

/** Time, of the service and its adapters, that flows with the real one and can also jump. */
function jumpingTime() {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  onTestFinished(() => void vi.useRealTimers());
  return {
    async flowUntil(isReached: () => boolean): Promise<void> {
      while (!isReached()) {
        await setTimeout(FLOW_MS);
        await vi.advanceTimersByTimeAsync(FLOW_MS);
      }
    },
    async jump(ms: number): Promise<void> {
      for (let jumpedMs = 0; jumpedMs < ms; jumpedMs += JUMP_MS) {
        await vi.advanceTimersByTimeAsync(JUMP_MS);
        await setImmediate();
      }
    },
  };
}

async function openScene() {
  const time = jumpingTime();
  const reader = processReader({ workerFile });
  const own = addressOf(dovecot.addUser());
  const { service } = await openTestService({
    mail: imapMail({ allowPrivateServers: true }),
    calendar: caldavCalendar({ reader, allowPrivateServers: true }),
    reader,
    email: own,
    settings: usual(own),
    limits: {
      ...{ callsPerMinute: 1_000_000, callsPerDay: 1_000_000, concurrentCalls: 1 },
      ...{ directSendsPerDay: 1_000_000, directSendsPer10Min: 1_000_000 },
    },
  });
  onTestFinished(() => service.stop());

  async function addAccount(
    [name, behaviour]: readonly [string, Odd[string]],
    wellPort: number,
    settingsOf: (email: string, port: number) => Settings,
  ): Promise<Account> {
    const user = dovecot.addUser();
    const email = addressOf(user);
    // What it sends to somebody to whom it has written before goes out at once.
    const before = `From: ${email}\nTo: ${KNOWN}\nMessage-ID: <${user}@other.example>\n\nHello.\n`;
    await dovecot.deliver(user, before, { mailbox: 'Sent' });
    const server = await startOddServer(wellPort);
    const { ownerId } = await service.owners.create({ email });
    const modes = { 'mail:send': 'direct' } as const;
    const { apiKey } = await service.keys.create({ ownerId, name: 'agent', preset: 'full', modes });
    await service.accounts.connect({ ownerId, email, settings: settingsOf(email, server.port) });
    return { name, server, apiKey, behaveOddly: () => server.behave(behaviour) };
  }

  /** Calls the tool as all accounts at once. @returns what became of each call, by the account's name */
  async function callAll(accounts: readonly Account[], { tool, args, mostMs }: Calls, isOdd: boolean) {
    for (const account of accounts) isOdd ? account.behaveOddly() : account.server.behave('well');
    // The pause after a failure is over.
    await time.jump(CALL_MS);
    const calls = accounts.map(({ apiKey }) => callWith(service, apiKey, tool, args()));
    let isAnswered = false;
    const answered = Promise.all(calls).finally(() => {
      isAnswered = true;
    });
    if (isOdd) {
      await time.flowUntil(() => accounts.every(({ server }) => server.isReached));
      const untilMs = Date.now() + ODD_MS;
      await time.flowUntil(() => Date.now() > untilMs);
      await time.jump(CALL_MS);
    }
    await time.flowUntil(() => isAnswered);
    const outcomes = await answered;
    if (isOdd) {
      await time.jump(mostMs - CALL_MS);
      await time.flowUntil(() => accounts.every(({ server }) => server.open === 0));
    }
    return Promise.all(
      accounts.map(async ({ name, apiKey }, n) => {
        const end = endOf(await finalOf(apiKey, outcomes[n]));
        return [name, MEANING[end] ?? end];
      }),
    );
  }

  /** A message may still be on its way when the call is answered. */
  async function finalOf(apiKey: string, outcome: Outcome | undefined): Promise<Outcome | undefined> {
    if (outcome?.status !== 'pending_approval') return outcome;
    return callWith(service, apiKey, 'get_approval', { approval_id: outcome.approval.id });
  }
  return { addAccount, callAll };
}

const ended = z.looseObject({ approval: z.looseObject({ state: z.string() }) });

/** The code of a failure, the state of a request, or the status of another outcome. */
function endOf(outcome: Outcome | undefined): string {
  if (outcome === undefined) return 'no answer';
  if (outcome.status === 'error') return outcome.code;
  if (outcome.status === 'pending_approval') return outcome.approval.state;
  const { data } = ended.safeParse(outcome.result);
  return data?.approval.state ?? outcome.status;
}

function serverAt(port: number, user: string, security: Security): MailServer {
  const pinned = security === 'none' ? {} : { tlsFingerprint: dovecot.certificate.fingerprint };
  return { host: '127.0.0.1', port, security, user, pass: PASSWORD, ...pinned };
}

function usual(email: string): Settings {
  const { port } = dovecot;
  return { imap: serverAt(port, email, 'none'), smtp: serverAt(plainPostfix.port, email, 'none') };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

/** An account for each way in which its server is odd. */
function accountsFor(
  { addAccount }: Scene,
  odd: Odd,
  wellPort: number,
  settingsOf: (email: string, port: number) => Partial<Settings>,
): Promise<Account[]> {
  return Promise.all(
    Object.entries(odd).map((behaviour) =>
      addAccount(behaviour, wellPort, (email, port) => ({ ...usual(email), ...settingsOf(email, port) })),
    ),
  );
}

/** Plays all rounds, and looks at what they leave behind. */
async function play({ callAll }: Scene, accounts: readonly Account[], calls: Calls): Promise<void> {
  const expected = accounts.map(({ name }) => [name, ENDS[name] ?? 'not done']);
  /** Memory that is held after each quarter of the rounds. */
  const held: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    expect(await callAll(accounts, calls, true)).toEqual(expected);
    if (isLong && round % (ROUNDS / 4) === 0) held.push(await heldBytes());
  }
  expect(await callAll(accounts, calls, false)).toEqual(accounts.map(({ name }) => [name, 'done']));
  if (!isLong) return;
  const [, half = 0, , whole = 0] = held;
  const left = (whole - half) / (accounts.length * (ROUNDS / 2));
  expect(left, `bytes held after each quarter: ${held.join(', ')}`).toBeLessThan(LEFT_BYTES);
}

describe.skipIf(missingServers(RADICALE_PROGRAMS).length > 0)(
  titled('a server that behaves oddly, again and again', RADICALE_PROGRAMS),
  () => {
    beforeAll(async () => {
      [dovecot, radicale, workerFile] = await Promise.all([
        startDovecot(),
        startRadicale(),
        bundleForChild(join(import.meta.dirname, '../../adapters/reader/worker.ts')),
      ]);
      plainPostfix = await startPostfix(dovecot, { tls: false });
      postfix = await startPostfix(dovecot, { certificate: dovecot.certificate });
    });
    afterAll(() => Promise.all([postfix?.stop(), plainPostfix?.stop(), radicale?.stop()]));
    afterAll(() => dovecot?.stop());

    it('IMAP', async () => {
      const scene = await openScene();
      const imap = (security: Security) => (email: string, port: number) => ({
        imap: serverAt(port, email, security),
      });
      const accounts = await Promise.all([
        accountsFor(scene, ODD_IMAP, dovecot.port, imap('none')),
        accountsFor(scene, ODD_TLS, dovecot.tlsPort, imap('tls')),
        accountsFor(scene, ODD_IMAP_STARTTLS, dovecot.port, imap('starttls')),
      ]);
      const calls = { tool: 'search_inbox', args: () => ({ q: 'hello' }), mostMs: CALL_MS };
      await play(scene, accounts.flat(), calls);
    });

    it('SMTP', async () => {
      const scene = await openScene();
      const smtp = (security: Security) => (email: string, port: number) => ({
        smtp: serverAt(port, email, security),
      });
      const accounts = await Promise.all([
        accountsFor(scene, ODD_SMTP, plainPostfix.port, smtp('none')),
        accountsFor(scene, ODD_TLS, postfix.tlsPort, smtp('tls')),
        accountsFor(scene, ODD_SMTP_STARTTLS, postfix.port, smtp('starttls')),
      ]);
      let sent = 0;
      const args = () => {
        sent += 1;
        return { to: [KNOWN], subject: `Letter ${sent}`, body: `This is letter ${sent}.` };
      };
      await play(scene, accounts.flat(), { tool: 'send_email', args, mostMs: SEND_MS });
    });

    it('CalDAV', async () => {
      const scene = await openScene();
      const owned = await radicale.addUser();
      const lunch = object('lunch', 'DTSTART:20260101T110000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY');
      await putObject(owned, 'lunch.ics', lunch);
      const { url, user } = owned;
      const accounts = await accountsFor(scene, ODD_CALDAV, Number(new URL(url).port), (_email, port) => ({
        caldav: { url: `http://127.0.0.1:${port}/`, user, pass: PASSWORD },
      }));
      await play(scene, accounts, { tool: 'list_events', args: () => ({}), mostMs: CALL_MS });
    });
  },
);

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { Service } from '../../../core/service/service.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { callWith } from '../../open-service.ts';
import type { Dovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import type { Postfix } from '../../servers/postfix.ts';
import { benchReader } from './bench-reader.ts';
import { settingsOf } from './mail-settings.ts';
import { NO_LIMITS } from './no-limits.ts';
import { median, tookMs } from './rounds.ts';
import { floorCallMs } from './server-load.ts';
import type { Row } from './table.ts';

const ROUNDS = 20;
const WARM_ROUNDS = 3;

/**
 * A reply that is filed, approved and sent, against the minimum for that: three commits, three calls of the floor, and
 * the transmission over an existing connection to the mail server.
 */
export async function reply(dovecot: Dovecot, postfix: Postfix): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const owner = dovecot.addUser();
  const asker = dovecot.addUser();
  const settled = signal();
  const service = createService({
    storage: tellingStorage(sqliteStorage({ file: join(folder, 'countersign.db') }), settled.give),
    mail: imapMail({ allowPrivateServers: true }),
    reader: benchReader(),
    secretKeys: [randomBytes(32)],
    baseUrl: 'http://127.0.0.1:1',
    dashboardUrl: 'http://127.0.0.1:2',
    limits: NO_LIMITS,
  });
  const commits = durableCommits(join(folder, 'commits.db'));
  const smtp = await bareSmtp(postfix.port, addressOf(owner));
  try {
    for (let number = 0; number < WARM_ROUNDS + ROUNDS; number += 1) {
      await dovecot.deliver(owner, question(number, addressOf(asker), addressOf(owner)));
    }
    const { ownerId } = await service.owners.create({ email: addressOf(owner) });
    const settings = settingsOf(addressOf(owner), dovecot.port, postfix.port);
    await service.accounts.connect({ ownerId, email: addressOf(owner), settings });
    const { apiKey } = await service.keys.create({ ownerId, name: 'bench', preset: 'full' });
    const listed = await callWith(service, apiKey, 'summarize_inbox', { limit: 50 });
    if (listed.status !== 'ok' || !Array.isArray(listed.result.messages))
      throw new Error('no list was answered');
    const ids = listed.result.messages.map(({ id }: { id: unknown }) => id);

    const floorMs = 3 * (await floorCallMs());
    const rounds: Round[] = [];
    for (const [round, id] of ids.entries()) {
      const commitsMs = await tookMs(async () => {
        for (let time = 0; time < 3; time += 1) commits.commit();
      });
      const answer = answerTo(round, addressOf(owner), addressOf(asker));
      const exchangeMs = await tookMs(() => smtp.send(addressOf(owner), addressOf(asker), answer));
      await postfix.delivered();

      const done = settled.next();
      const { approvalId, filingMs } = await filed(service, apiKey, id);
      const digest = (await service.approvals.show(ownerId, approvalId))?.approval.digest ?? '';
      const approvingMs = await tookMs(async () => {
        const decided = await service.approvals.approve(ownerId, approvalId, digest);
        if (decided?.approval.state !== 'executed') throw new Error('the reply was not sent');
      });
      // The copy in Sent and the flag, which nobody waits for.
      await done;
      await postfix.delivered();
      if (round >= WARM_ROUNDS) rounds.push({ commitsMs, exchangeMs, filingMs, approvingMs });
    }
    const ours = ({ filingMs, approvingMs }: Round) => filingMs + approvingMs;
    const reference = ({ commitsMs, exchangeMs }: Round) => commitsMs + floorMs + exchangeMs;
    const medianOf = (value: (round: Round) => number) => median(rounds.map(value));
    return [
      {
        name: 'a reply filed, approved and sent, against commits + floors + SMTP',
        unit: 'ms',
        ours: medianOf(ours),
        reference: medianOf(reference),
        ratio: medianOf((round) => ours(round) / reference(round)),
        bound: { most: 1.5 },
      },
      { name: '  filing it, with the message read', unit: 'ms', ours: medianOf(({ filingMs }) => filingMs) },
      { name: '  approving and sending it', unit: 'ms', ours: medianOf(({ approvingMs }) => approvingMs) },
      { name: '  three durable commits', unit: 'ms', reference: medianOf(({ commitsMs }) => commitsMs) },
      { name: '  three calls of the floor', unit: 'ms', reference: floorMs },
      { name: '  the bare SMTP exchange', unit: 'ms', reference: medianOf(({ exchangeMs }) => exchangeMs) },
    ];
  } finally {
    smtp.close();
    commits.close();
    await service.stop();
    rmSync(folder, { recursive: true });
  }
}

interface Round {
  readonly commitsMs: number;
  readonly exchangeMs: number;
  readonly filingMs: number;
  readonly approvingMs: number;
}

async function filed(service: Service, apiKey: string, id: unknown) {
  const began = performance.now();
  const outcome = await callWith(service, apiKey, 'send_reply', { id, body: BODY });
  const filingMs = performance.now() - began;
  if (outcome.status !== 'pending_approval') throw new Error(`send_reply answered ${outcome.status}`);
  return { approvalId: outcome.approval.id, filingMs };
}

/** As long as the sealed plan of a short reply. */
const PLAN_CHARS = 2000;
const BODY = 'Yes, Thursday is fine.';

function question(number: number, from: string, to: string): string {
  return [
    `From: Ada <${from}>`,
    `To: ${to}`,
    `Subject: Question ${number}`,
    `Message-ID: <question-${number}@example.test>`,
    'Date: Fri, 20 Nov 2026 10:00:00 +0100',
    '',
    'Is Thursday fine?',
    '',
  ].join('\r\n');
}

/** As long as the reply that the service composes. */
function answerTo(number: number, from: string, to: string): string {
  return [
    'Date: Fri, 20 Nov 2026 10:05:00 +0000',
    `From: <${from}>`,
    `To: <${to}>`,
    `Subject: Re: Question ${number}`,
    `Message-ID: <answer-${number}@example.test>`,
    `In-Reply-To: <question-${number}@example.test>`,
    `References: <question-${number}@example.test>`,
    `X-Countersign-Request: ${'0'.repeat(32)}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    BODY,
    '',
    'On 2026-11-20 Ada wrote:',
    '> Is Thursday fine?',
    '',
  ].join('\r\n');
}

/** Storage that reports when the work after a send is done. */
function tellingStorage(storage: Storage, tell: () => void): Storage {
  return {
    ...storage,
    async followedUp(followUp) {
      await storage.followedUp(followUp);
      tell();
    },
  };
}

function signal(): { give(): void; next(): Promise<void> } {
  let give = (): void => undefined;
  return {
    give: () => give(),
    next: () =>
      new Promise((resolve) => {
        give = resolve;
      }),
  };
}

/** A signed-in connection that sends only what a message needs. */
async function bareSmtp(port: number, user: string) {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  socket.setEncoding('utf8');
  const reply = async (): Promise<string> => {
    let text = '';
    while (!/^\d{3} .*\r\n$/m.test(text)) {
      const [chunk]: unknown[] = await once(socket, 'data');
      text += String(chunk);
    }
    return text;
  };
  const say = async (line: string, expected: string): Promise<void> => {
    socket.write(`${line}\r\n`);
    const answer = await reply();
    if (!answer.startsWith(expected)) throw new Error(`the SMTP server answered ${answer}`);
  };
  await reply();
  await say('EHLO localhost', '250');
  await say(`AUTH PLAIN ${Buffer.from(`\0${user}\0${PASSWORD}`).toString('base64')}`, '235');
  return {
    async send(from: string, to: string, message: string): Promise<void> {
      await say(`MAIL FROM:<${from}>`, '250');
      await say(`RCPT TO:<${to}>`, '250');
      await say('DATA', '354');
      await say(`${message}.`, '250');
    },
    close: () => socket.destroy(),
  };
}

/** Writes one row at a time, so that it survives a power loss. */
function durableCommits(file: string): { commit(): void; close(): void } {
  const db = new SqliteDatabase(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE approvals (id INTEGER PRIMARY KEY, plan TEXT NOT NULL) STRICT');
  const insert = db.prepare('INSERT INTO approvals (plan) VALUES (?)');
  const plan = 'p'.repeat(PLAN_CHARS);
  return {
    commit: db.transaction(() => {
      insert.run(plan);
    }).immediate,
    close: () => db.close(),
  };
}

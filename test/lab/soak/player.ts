import { Buffer } from 'node:buffer';
import * as z from 'zod';
import { workerText } from '../../../adapters/extract/attachment-text.ts';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import type { AttachmentText } from '../../../core/ports/attachment-text.ts';
import { fenceLookAlikes } from '../../../core/text/fence-look-alikes.ts';
import { seenText } from '../../../core/text/seen-text.ts';
import { openTestService } from '../../open-service.ts';
import { playedCalendar } from './calendar-stage.ts';
import { LARGER, sampleOf } from './fuzzed.ts';
import { GROWS, type Kind, type PlayOrder, playOrder, type Told } from './protocol.ts';
import { readSeeds } from './seeds.ts';
import { asking, type Played, type Stage } from './stage.ts';

/**
 * Plays fuzzed samples in a separate process, which may crash or hang on one. It reports each sample to its parent before
 * it starts.
 */

/** Samples per mailbox; then a new one is opened. */
const SAMPLES_A_BOX = 40;
const ATTACHMENTS_READ = 3;
const EMAIL = 'demo@countersign.test';

/** One in this many samples is compared with a larger one. */
const COMPARED_EVERY = 8;
/** Four times the size may take this many times as long; quadratic time would be sixteen. */
const GROWTH = 10;
/** Shorter times are not compared. */
const COMPARABLE_MS = 500;

const messageAnswer = z.looseObject({
  messages: z.array(z.looseObject({ id: z.string() })).optional(),
  attachments: z.array(z.looseObject({ index: z.int() })).optional(),
  body: z.string().optional(),
  body_truncated: z.boolean().optional(),
  body_next_offset: z.int().optional(),
  reason: z.string().optional(),
});

function tell(message: Told): void {
  process.send?.(message);
}

async function play(order: PlayOrder): Promise<void> {
  const seeds = await readSeeds(order.documents);
  tell({ kind: 'ready', seeds: seeds.messages.length + seeds.documents.length + seeds.pages.length });
  const reader = workerText({ workerFile: order.workerFile });
  // Each mailbox has its own service; all share this reader.
  const attachmentText = { ...reader, close: async () => undefined };
  for (let begin = 0; begin < order.samples.length; begin += SAMPLES_A_BOX) {
    const mailbox = await playedMail(attachmentText);
    const calendar = await playedCalendar(EMAIL);
    for (const [offset, { raw, larger: given, ...name }] of order.samples
      .slice(begin, begin + SAMPLES_A_BOX)
      .entries()) {
      const index = begin + offset;
      tell({ kind: 'plays', index });
      const stage = name.kind === 'ics' || name.kind === 'caldav' ? calendar : mailbox;
      const sample = raw === undefined ? sampleOf(seeds, name) : Buffer.from(raw, 'base64');
      const { ms, ...played } = await timed(() => stage.play(sample, name.kind));
      const larger =
        given !== undefined
          ? Buffer.from(given, 'base64')
          : raw === undefined && index % COMPARED_EVERY === 0
            ? sampleOf(seeds, name, LARGER)
            : sample;
      const compared = larger.length > 2 * sample.length;
      if (compared) played.wrong.push(...(await growth(stage, name.kind, sample, larger)));
      tell({ kind: 'played', index, ms, compared, ...played });
    }
    await mailbox.close();
    await calendar.close();
  }
  await reader.close();
}

async function timed(work: () => Promise<Played>): Promise<Played & { ms: number }> {
  const before = process.cpuUsage();
  const played = await work();
  const { user, system } = process.cpuUsage(before);
  return { ...played, ms: (user + system) / 1000 };
}

/** Describes the fault if a larger sample takes longer than its size explains, three times in a row. */
async function growth(stage: Stage, kind: Kind, sample: Buffer, larger: Buffer): Promise<string[]> {
  const times = larger.length / sample.length;
  const most = GROWTH * Math.max(times / LARGER, 1);
  let words = '';
  for (let attempt = 0; attempt < 3; attempt++) {
    const long = await timed(() => stage.play(larger, kind));
    if (long.ms < COMPARABLE_MS) return long.wrong;
    const short = await timed(() => stage.play(sample, kind));
    // A sample that is refused early, or holds nothing to change, says nothing about a larger one that is read.
    if (long.answers !== short.answers) return long.wrong;
    if (long.ms < most * Math.max(short.ms, 5)) return long.wrong;
    words = `${sample.length} bytes took ${Math.round(short.ms)} ms, ${larger.length} bytes ${Math.round(long.ms)} ms`;
  }
  return [`${GROWS}: ${words}`];
}

/** A mailbox that receives each sample as a message and then reads it. */
async function playedMail(attachmentText: AttachmentText): Promise<Stage> {
  const mail = sandboxMail({ samples: () => [] });
  const { log, ask } = asking();
  const { service, ownerId, addKey } = await openTestService({
    mail,
    attachmentText,
    calendar: undefined,
    email: EMAIL,
    log,
  });
  const key = await addKey('full');
  const account = { ownerId, accountId: 1, email: EMAIL, settings: async () => ({}) };
  return {
    async play(raw) {
      const { call, played } = ask(key, messageAnswer);
      await mail.deliver(account, 'INBOX', raw);
      const { messages: [newest] = [] } = await call('summarize_inbox', { limit: 1 });
      if (newest === undefined) {
        played.wrong.push('it was lost from the list');
        return played;
      }
      const { id } = newest;
      const first = await call('get_email', { id });
      const parts = [first];
      if (first.body_truncated === true)
        parts.push(await call('get_email', { id, body_offset: first.body_next_offset }));
      for (const { body = '\u200b' } of parts) {
        if (seenText(body) !== body) played.wrong.push('a body holds what hides');
        const text = body.split('\n').slice(1, -1).join('\n');
        const fences = fenceLookAlikes(text).map(({ start, end }) => text.slice(start, end));
        if (fences.some((one) => one !== '‹‹‹')) played.wrong.push('a body holds what looks like a fence');
      }
      const { attachments = [] } = await call('list_attachments', { id });
      for (const { index } of attachments.slice(0, ATTACHMENTS_READ)) {
        const { reason = 'text' } = await call('read_attachment', { id, index });
        played.read.push(reason);
      }
      await call('get_thread', { id });
      return played;
    },
    close: () => service.stop(),
  };
}

process.once('message', (order) => {
  // A rejection stays uncaught on purpose: a crash is what the soak looks for.
  void play(playOrder.parse(order)).then(() => process.disconnect());
});

import type { Buffer } from 'node:buffer';
import * as z from 'zod';
import { workerText } from '../../adapters/extract/attachment-text.ts';
import { type SandboxMail, sandboxMail } from '../../adapters/sandbox/mail.ts';
import { parseMessage } from '../../core/mail/parse.ts';
import type { Outcome } from '../../core/outcome.ts';
import { seenText } from '../../core/seen-text.ts';
import { openTestService, type TestKey, wireBytes } from '../open-service.ts';
import { fuzzed } from './fuzzed.ts';
import { type PlayOrder, playOrder, type Told } from './protocol.ts';
import { readSeeds } from './seeds.ts';

/**
 * Plays fuzzed messages in a process of its own, which may crash or hang over one: whoever started it is told of each
 * before it begins.
 */

/** Messages of one mailbox; then another is begun. */
const MESSAGES_A_BOX = 40;
const ATTACHMENTS_READ = 3;
const ANSWER_BYTES = 64 * 1024;
const EMAIL = 'demo@countersign.test';

const answered = z.looseObject({
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
  // Each box has a service of its own, and all of them this reader.
  const attachmentText = { ...reader, close: async () => undefined };
  for (let begin = order.from; begin < order.until; begin += MESSAGES_A_BOX) {
    const mail = sandboxMail({ samples: () => [] });
    const { service, ownerId, addKey } = await openTestService({
      mail,
      attachmentText,
      calendar: undefined,
      email: EMAIL,
    });
    const key = await addKey('full');
    for (let number = begin; number < Math.min(begin + MESSAGES_A_BOX, order.until); number++) {
      tell({ kind: 'plays', number });
      const { kind, raw } = fuzzed(seeds, order.seed, number);
      tell({ kind: 'played', number, what: kind, ...(await playOne(mail, ownerId, key, raw)) });
    }
    await service.stop();
  }
  await reader.close();
}

async function playOne(mail: SandboxMail, ownerId: string, key: TestKey, raw: Buffer) {
  const wrong: string[] = [];
  const read: string[] = [];
  let answers = 0;
  let bytes = 0;
  const ask = async (tool: string, args: unknown) => {
    const outcome = await key.call(tool, args);
    answers += 1;
    const size = wireBytes(outcome);
    bytes = Math.max(bytes, size);
    if (size > ANSWER_BYTES) wrong.push(`${tool} answered ${size} bytes`);
    if (outcome.status === 'error') wrong.push(`${tool} answered ${outcome.code}`);
    return answered.parse(resultIn(outcome));
  };
  // The sandbox reads it once more; what the reader of MIME throws is then told apart.
  await parseMessage(raw);
  const account = { ownerId, accountId: 1, email: EMAIL, settings: async () => ({}) };
  await mail.deliver(account, 'INBOX', raw);
  const { messages: [newest] = [] } = await ask('summarize_inbox', { limit: 1 });
  if (newest === undefined) return { answers, bytes, read, wrong: [...wrong, 'it was lost from the list'] };
  const { id } = newest;
  const first = await ask('get_email', { id });
  const parts = [first];
  if (first.body_truncated === true)
    parts.push(await ask('get_email', { id, body_offset: first.body_next_offset }));
  for (const { body } of parts)
    if (body === undefined || seenText(body) !== body) wrong.push('a body holds what hides');
  const { attachments = [] } = await ask('list_attachments', { id });
  for (const { index } of attachments.slice(0, ATTACHMENTS_READ)) {
    const { reason = 'text' } = await ask('read_attachment', { id, index });
    read.push(reason);
  }
  await ask('get_thread', { id });
  return { answers, bytes, read, wrong };
}

function resultIn(outcome: Outcome): unknown {
  return outcome.status === 'ok' || outcome.status === 'empty' ? outcome.result : {};
}

process.once('message', (order) => {
  // Nothing catches what it rejects with: a crash is what is looked for.
  void play(playOrder.parse(order)).then(() => process.disconnect());
});

import { join } from 'node:path';
import { sandboxCalendar } from '../../adapters/sandbox/calendar.ts';
import { sandboxMail } from '../../adapters/sandbox/mail.ts';
import type { Draft } from '../../core/plans/edit-diff.ts';
import { callWith } from '../open-service.ts';
import type { Found } from './proof.ts';
import { openStorage, readScene, sceneParts, sceneService, writeScene } from './scene.ts';

/** The act of the crash proof in the sandbox. */

const EMAIL = 'demo@countersign.test';
const TO = 'ada@lovelace.example';
const SUBJECT = ' Crash proof';

/** A tool call. */
interface ToolCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export const SEND: ToolCall = {
  tool: 'send_email',
  args: { to: [TO], subject: 'Crash proof', body: 'Once, and only once.' },
};
export const INVITE: ToolCall = {
  tool: 'create_event',
  args: { title: 'Crash proof', start: '2027-03-01T09:00', attendee: TO },
};

/**
 * Adds owner, account and key, and a tracker whose keywords the message will contain. Then files a pending request, or gives the key direct mode and a known
 * recipient.
 */
export async function prepare(
  folder: string,
  mode: 'approve' | 'direct',
  { tool, args }: ToolCall,
  draft?: Draft,
): Promise<void> {
  const parts = sceneParts(folder, 'sandbox');
  const service = sceneService(parts);
  const { ownerId } = await service.owners.create({ email: EMAIL });
  const { accountId } = await service.accounts.connect({ ownerId, email: EMAIL, settings: {} });
  const modes = mode === 'direct' ? ({ 'mail:send': 'direct', 'calendar:write': 'direct' } as const) : {};
  const { apiKey } = await service.keys.create({ ownerId, name: 'agent', preset: 'full', modes });
  const tracked = await callWith(service, apiKey, 'create_tracker', {
    title: 'Proof',
    keywords: 'crash proof',
  });
  if (tracked.status !== 'ok') throw new Error('the tracker was not created');
  const scene = { mail: 'sandbox', settings: {}, email: EMAIL, ownerId, apiKey } as const;
  if (mode === 'direct') {
    await parts.storage.rememberRecipients(ownerId, accountId, [TO], new Date());
    writeScene(folder, { ...scene, act: { mode, tool, args } });
  } else {
    const filed = await callWith(service, apiKey, tool, args);
    if (filed.status !== 'pending_approval') throw new Error('the request is not pending');
    const shown = await service.approvals.show(ownerId, filed.approval.id);
    writeScene(folder, {
      ...scene,
      act: {
        mode,
        approvalId: filed.approval.id,
        digest: shown?.approval.digest ?? '',
        ...(draft && { draft }),
      },
    });
  }
  await service.stop();
}

/** What the owner makes of `SEND`. */
export const CHANGED: Draft = { to: [TO], subject: 'Changed Crash proof', text: 'Twice changed, once sent.' };

export function look(folder: string): Promise<Required<Found>> {
  return lookFor(folder, SUBJECT);
}

/** @param subject  the end of the subject of the message that is looked for */
export async function lookFor(folder: string, subject: string): Promise<Required<Found>> {
  const { ownerId } = readScene(folder);
  const mail = sandboxMail({ journalFile: join(folder, 'sandbox.journal') });
  const account = { ownerId, accountId: 1, email: EMAIL, settings: async () => ({}) };
  const sent = await mail.messages(account, 'Sent');
  const calendar = sandboxCalendar({ samples: [], journalFile: join(folder, 'calendar.journal') });
  const events = (await calendar.objects(account)).size;
  const storage = openStorage(folder);
  const tracker = await storage.tracker({ ownerId, trackerId: 1, upTo: undefined, limit: 0 });
  await storage.close();
  const found = {
    transmitted: mail.transmitted().length,
    inSent: sent.filter((raw) => subjectOf(raw).endsWith(subject)).length,
    linked: tracker?.total ?? 0,
    events,
  };
  await mail.close();
  await calendar.close();
  return found;
}

function subjectOf(raw: Uint8Array): string {
  return /^Subject:(.*)\r$/m.exec(Buffer.from(raw).toString('latin1'))?.[1] ?? '';
}

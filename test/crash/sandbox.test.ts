import { join } from 'node:path';
import { sandboxMail } from '../../adapters/sandbox/mail.ts';
import { callWith } from '../open-service.ts';
import { crashProof, type Found } from './proof.ts';
import { readScene, type Scene, sceneParts, sceneService, writeScene } from './scene.ts';

const EMAIL = 'demo@countersign.test';
const TO = 'ada@lovelace.example';

/** Owner, account and key; then a request that waits, or a key that may send to a known recipient without asking. */
async function prepare(folder: string, mode: Scene['act']['mode']): Promise<void> {
  const parts = sceneParts(folder, 'sandbox');
  const service = sceneService(parts);
  const { ownerId } = await service.owners.create({ email: EMAIL });
  const { accountId } = await service.accounts.connect({ ownerId, email: EMAIL, settings: {} });
  const modes = mode === 'direct' ? ({ 'mail:send': 'direct' } as const) : {};
  const { apiKey } = await service.keys.create({ ownerId, name: 'agent', preset: 'full', modes });
  const args = { to: [TO], subject: 'Crash proof', body: 'Once, and only once.' };
  const scene = { mail: 'sandbox', settings: {}, email: EMAIL, ownerId, apiKey } as const;
  if (mode === 'direct') {
    await parts.storage.rememberRecipients(ownerId, accountId, [TO], new Date());
    writeScene(folder, { ...scene, act: { mode, tool: 'send_email', args } });
  } else {
    const filed = await callWith(service, apiKey, 'send_email', args);
    if (filed.status !== 'pending_approval') throw new Error('the request does not wait');
    const shown = await service.approvals.show(ownerId, filed.approval.id);
    writeScene(folder, {
      ...scene,
      act: { mode, approvalId: filed.approval.id, digest: shown?.approval.digest ?? '' },
    });
  }
  await service.stop();
}

async function look(folder: string): Promise<Found> {
  const { ownerId } = readScene(folder);
  const mail = sandboxMail({ journalFile: join(folder, 'sandbox.journal') });
  const account = { ownerId, accountId: 1, email: EMAIL, settings: async () => ({}) };
  const sent = await mail.messages(account, 'Sent');
  const found = {
    transmitted: mail.transmitted().length,
    inSent: sent.filter((raw) => Buffer.from(raw).includes('Subject: Crash proof')).length,
  };
  await mail.close();
  return found;
}

for (const mode of ['approve', 'direct'] as const) {
  crashProof('sandbox', mode, {
    mailbox: async () => undefined,
    prepare: (folder) => prepare(folder, mode),
    look,
  });
}

import { afterAll, beforeAll, describe } from 'vitest';
import { casesOf } from '../only-long.ts';
import { callWith } from '../open-service.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { addressOf } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';
import { crashProof } from './proof.ts';
import { connected, type RealMailbox, realMailbox } from './real-mailbox.ts';
import { sceneParts, sceneService, writeScene } from './scene.ts';

describe.skipIf(missingServers().length > 0)(titled('crash proof on Dovecot and Postfix'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  beforeAll(async () => {
    // Plain text and sign-in without TLS: allowed only to the loopback address.
    dovecot = await startDovecot({ tls: false });
    postfix = await startPostfix(dovecot, { tls: false });
  });
  afterAll(async () => {
    await postfix?.stop();
    await dovecot?.stop();
  });

  for (const mode of casesOf('crash: stages', ['approve', 'direct'] as const, (mode) => mode === 'direct')) {
    crashProof('Dovecot and Postfix', mode, {
      mailbox: () => realMailbox(dovecot, postfix),
      prepare: (folder, box) => prepare(folder, box, mode),
      look: (_folder, box) => box.look(),
      unknownFrom: 'storage.start',
      inGate: (call) => call === 'mail.transmit' || call === 'storage.settle',
    });
  }
});

async function prepare(folder: string, box: RealMailbox, mode: 'approve' | 'direct'): Promise<void> {
  const parts = sceneParts(folder, 'imap');
  const service = sceneService(parts);
  const { ownerId, accountId, apiKey, args } = await connected(service, box, mode === 'direct');
  const scene = {
    mail: 'imap',
    settings: box.settings,
    email: addressOf(box.owner),
    ownerId,
    apiKey,
  } as const;
  if (mode === 'direct') {
    await parts.storage.rememberRecipients(ownerId, accountId, [addressOf(box.asker)], new Date());
    writeScene(folder, { ...scene, act: { mode, tool: 'send_reply', args } });
  } else {
    const filed = await callWith(service, apiKey, 'send_reply', args);
    if (filed.status !== 'pending_approval') throw new Error('the request is not pending');
    const shown = await service.approvals.show(ownerId, filed.approval.id);
    const digest = shown?.approval.digest ?? '';
    writeScene(folder, { ...scene, act: { mode, approvalId: filed.approval.id, digest } });
  }
  await service.stop();
}

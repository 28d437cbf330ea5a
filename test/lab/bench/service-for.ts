import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { ImapSettings } from '../../../adapters/imap/settings.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { Outcome } from '../../../core/call/outcome.ts';
import type { Service } from '../../../core/service/service.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { wireBytes } from '../../open-service.ts';
import { benchReader } from './bench-reader.ts';
import { NO_LIMITS } from './no-limits.ts';

/** Makes calls as a door does, on a service with this one account. */
export async function serviceFor(email: string, settings: ImapSettings) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const mail = imapMail({ allowPrivateServers: true });
  const service = createService({
    storage: sqliteStorage({ file: join(folder, 'countersign.db') }),
    // Only an account with a sender can be connected; nothing is sent here.
    mail: { ...mail, verify: async () => undefined },
    reader: benchReader(),
    secretKeys: [randomBytes(32)],
    baseUrl: 'http://127.0.0.1:1',
    dashboardUrl: 'http://127.0.0.1:2',
    limits: NO_LIMITS,
  });
  const { ownerId } = await service.owners.create({ email });
  await service.accounts.connect({ ownerId, email, settings });
  const { apiKey } = await service.keys.create({ ownerId, name: 'bench', preset: 'full' });
  const call = async (tool: string, args: unknown = {}) => {
    const outcome = await toolOutcome(service, apiKey, tool, args);
    if (outcome.status === 'pending_approval') return {};
    if (outcome.status !== 'ok')
      throw new Error(`${tool} answered ${'code' in outcome ? outcome.code : outcome.status}`);
    return outcome.result;
  };
  return {
    call,
    async ids(): Promise<unknown[]> {
      const { messages } = await call('summarize_inbox', { limit: 50 });
      if (!Array.isArray(messages)) throw new Error('no list was answered');
      return messages.map(({ id }: { id: unknown }) => id);
    },
    async stop() {
      await service.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Makes a call as a door does. */
export async function toolOutcome(
  service: Service,
  apiKey: string,
  tool: string,
  args: unknown,
): Promise<Outcome> {
  const admission = await service.calls.admitCaller({ token: apiKey, address: '192.0.2.1' });
  if (admission.kind !== 'admitted') throw new Error(`the call was ${admission.kind}`);
  const call = { tool, args, idempotencyKey: undefined, sizeBytes: wireBytes };
  return (await service.calls.runTool(admission.caller, call)).outcome;
}

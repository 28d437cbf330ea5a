// A service in memory with the sandbox mailbox, its owner and a key. Examples share it.
import { randomBytes } from 'node:crypto';
import { createService } from 'countersign';
import { inlineReader } from 'countersign/reader/inline';
import { sandboxMail } from 'countersign/sandbox';
import { sqliteStorage } from 'countersign/sqlite';

/** @param ports  what else the service is given */
export async function openSandbox(ports = {}) {
  const ownerId = 'ada';
  const mail = sandboxMail();
  const service = createService({
    storage: sqliteStorage({ file: ':memory:' }),
    mail,
    reader: inlineReader(),
    secretKeys: [randomBytes(32)],
    baseUrl: 'http://127.0.0.1:8787',
    dashboardUrl: 'http://127.0.0.1:8788',
    ...ports,
  });
  await service.owners.create({ ownerId, email: 'ada@example.org' });
  await service.accounts.connect({ ownerId, email: 'ada@example.org', settings: {} });
  const { keyId } = await service.keys.create({ ownerId, name: 'Assistant', preset: 'full' });

  /** What the dashboard does when the owner clicks Approve. */
  async function approve(approvalId) {
    const { approval } = await service.approvals.show(ownerId, approvalId);
    await service.approvals.approve(ownerId, approvalId, approval.digest);
  }
  return { service, mail, ownerId, keyId, approve };
}

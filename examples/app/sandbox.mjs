// A service in memory with the sandbox mailbox, its owner and a key. The examples of the AI libraries share it.
import { randomBytes } from 'node:crypto';
import { createService } from 'countersign';
import { inlineReader } from 'countersign/reader/inline';
import { sandboxMail } from 'countersign/sandbox';
import { sqliteStorage } from 'countersign/sqlite';

export const ownerId = 'ada';
export const mail = sandboxMail();
export const service = createService({
  storage: sqliteStorage({ file: ':memory:' }),
  mail,
  reader: inlineReader(),
  secretKeys: [randomBytes(32)],
  baseUrl: 'http://127.0.0.1:8787',
  dashboardUrl: 'http://127.0.0.1:8788',
});
await service.owners.create({ ownerId, email: 'ada@example.org' });
await service.accounts.connect({ ownerId, email: 'ada@example.org', settings: {} });
export const { keyId } = await service.keys.create({ ownerId, name: 'Assistant', preset: 'full' });

/** What the dashboard does when the owner clicks Approve. */
export async function approve(approvalId) {
  const { approval } = await service.approvals.show(ownerId, approvalId);
  await service.approvals.approve(ownerId, approvalId, approval.digest);
}

import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { errorOf } from '../../../core/approvals/approval.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';

/** An app that waits for the end of a request. Prints `waiting`, then how the request ended. */
const [, , connectionString = '', secretKey = '', ownerId = '', approvalId = ''] = process.argv;
const service = createService({
  storage: postgresStorage({ connectionString }),
  mail: sandboxMail(),
  reader: inlineReader(),
  secretKeys: [Buffer.from(secretKey, 'hex')],
  baseUrl: 'http://127.0.0.1:1',
  dashboardUrl: 'http://127.0.0.1:2',
});
const settled = service.approvals.settled(ownerId, approvalId);
process.stdout.write(`${(await service.approvals.show(ownerId, approvalId))?.approval.state}\n`);
const approval = await settled;
process.stdout.write(`${JSON.stringify({ state: approval.state, error: errorOf(approval) })}\n`);
await service.stop();

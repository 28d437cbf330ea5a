import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpsDocuments } from '../../adapters/documents/https-documents.ts';
import { workerText } from '../../adapters/extract/attachment-text.ts';
import { sqliteIndex } from '../../adapters/mail-index/sqlite-index.ts';
import { ownerNotices } from '../../adapters/notices/owner-notices.ts';
import { processReader } from '../../adapters/reader/process-reader.ts';
import { sandboxCalendar } from '../../adapters/sandbox/calendar.ts';
import { sandboxMail } from '../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import { httpsSender } from '../../adapters/webhooks/https-sender.ts';
import type { Log } from '../../core/ports/log.ts';
import type { WorkObserver } from '../../core/ports/work-observer.ts';
import { createService } from '../embedded/countersign.ts';
import type { Configuration } from './configuration.ts';
import { INDEX_FILE } from './data-folder.ts';
import type { OpenedService, PublicAddresses } from './open-service.ts';

export interface Demo extends OpenedService {
  readonly owner: { readonly email: string; readonly password: string };
  readonly apiKey: string;
  /** Deletes everything that the demo wrote. Call it after the service has stopped. */
  remove(): void;
}

const EMAIL = 'owner@example.org';

/** A service in a temporary folder, with a sandbox mailbox, one owner and one Full key. */
export async function openDemo(
  { plan, limits, allowPrivateTargets, indexFile }: Configuration,
  addresses: PublicAddresses,
  log: Log,
  workObserver: WorkObserver,
): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-demo-'));
  const reader = processReader();
  const service = createService({
    storage: sqliteStorage({ file: join(folder, 'countersign.db') }),
    mail: sandboxMail({ journalFile: join(folder, 'sandbox.jsonl') }),
    ...(indexFile === undefined ? {} : { mailIndex: sqliteIndex({ file: join(folder, INDEX_FILE) }) }),
    calendar: sandboxCalendar(),
    reader,
    attachmentText: workerText(),
    webhookSender: httpsSender({ allowPrivateTargets }),
    noticeSender: ownerNotices({ allowPrivateTargets }),
    documentSource: httpsDocuments(),
    secretKeys: [randomBytes(32)],
    plan,
    limits,
    log,
    workObserver,
    ...addresses,
  });
  const password = randomBytes(12).toString('base64url');
  const { ownerId } = await service.owners.create({ email: EMAIL, password });
  await service.accounts.connect({ ownerId, email: EMAIL, settings: {} });
  const { apiKey } = await service.keys.create({ ownerId, name: 'Demo', preset: 'full' });
  return {
    service,
    reader,
    owner: { email: EMAIL, password },
    apiKey,
    remove: () => rmSync(folder, { recursive: true }),
  };
}

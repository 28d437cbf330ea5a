import { caldavCalendar } from '../../adapters/caldav/calendar.ts';
import { httpsDocuments } from '../../adapters/documents/https-documents.ts';
import { workerText } from '../../adapters/extract/attachment-text.ts';
import { imapMail } from '../../adapters/imap/mail.ts';
import { sqliteIndex } from '../../adapters/mail-index/sqlite-index.ts';
import { ownerNotices } from '../../adapters/notices/owner-notices.ts';
import { processReader } from '../../adapters/reader/process-reader.ts';
import { httpsSender } from '../../adapters/webhooks/https-sender.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Reader } from '../../core/ports/reader.ts';
import type { WorkObserver } from '../../core/ports/work-observer.ts';
import type { Service } from '../../core/service/service.ts';
import { createService } from '../embedded/countersign.ts';
import { reachOf } from './accounts/private-servers.ts';
import type { Configuration } from './configuration.ts';
import { openDatabase } from './database.ts';

/** The public addresses of the three listeners. */
export interface PublicAddresses {
  readonly baseUrl: string;
  readonly dashboardUrl: string;
  readonly mcpUrl: string;
}

export interface OpenedService {
  readonly service: Service;
  /** The service closes it. */
  readonly reader: Reader;
}

/** The service on the configured database, with real mailboxes. @throws Error with a message for the user */
export async function openService(
  configuration: Configuration,
  addresses: PublicAddresses,
  log: Log,
  workObserver?: WorkObserver,
): Promise<OpenedService> {
  const { plan, limits, allowPrivateTargets, noticeMail, mailProviders, indexFile } = configuration;
  const { storage, secretKeys } = await openDatabase(configuration);
  const reach = reachOf(configuration, storage);
  const { allowPrivateServers } = reach;
  const reader = processReader();
  const service = createService({
    storage,
    mail: imapMail(reach),
    ...(indexFile === undefined ? {} : { mailIndex: sqliteIndex({ file: indexFile }) }),
    calendar: caldavCalendar({ reader, log, allowPrivateServers }),
    reader,
    attachmentText: workerText(),
    webhookSender: httpsSender({ allowPrivateTargets }),
    noticeSender: ownerNotices({ allowPrivateTargets, ...(noticeMail && { smtp: noticeMail }) }),
    documentSource: httpsDocuments(),
    mailProviders,
    log,
    ...(workObserver === undefined ? {} : { workObserver }),
    secretKeys,
    plan,
    limits,
    ...addresses,
  });
  return { service, reader };
}

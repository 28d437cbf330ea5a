import { caldavCalendar } from '../../adapters/caldav/calendar.ts';
import { httpsDocuments } from '../../adapters/documents/https-documents.ts';
import { workerText } from '../../adapters/extract/attachment-text.ts';
import { imapMail } from '../../adapters/imap/mail.ts';
import { processReader } from '../../adapters/reader/reader.ts';
import { httpsSender } from '../../adapters/webhooks/https-sender.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Owner } from '../../core/ports/owner-storage.ts';
import type { WorkObserver } from '../../core/ports/work-observer.ts';
import type { Service } from '../../core/service/service.ts';
import { createService } from '../embedded/countersign.ts';
import { addressOf } from './address.ts';
import { type Configuration, readConfiguration } from './configuration.ts';
import { openDatabase } from './database.ts';
import { jsonLog } from './log.ts';
import { reachOf } from './private-servers.ts';
import type { Terminal } from './terminal.ts';

/** The public addresses of the three listeners. */
export interface PublicAddresses {
  readonly baseUrl: string;
  readonly dashboardUrl: string;
  readonly mcpUrl: string;
}

/** The service on the configured database, with real mailboxes. @throws Error with a message for the user */
export async function openService(
  configuration: Configuration,
  addresses: PublicAddresses,
  log: Log,
  workObserver?: WorkObserver,
): Promise<Service> {
  const { plan, limits, allowPrivateTargets } = configuration;
  const { storage, secretKeys } = await openDatabase(configuration);
  const { allowPrivateServers } = reachOf(configuration, storage);
  return createService({
    storage,
    mail: imapMail({ allowPrivateServers }),
    calendar: caldavCalendar({ log, allowPrivateServers }),
    reader: processReader(),
    attachmentText: workerText(),
    webhookSender: httpsSender({ allowPrivateTargets }),
    documentSource: httpsDocuments(),
    log,
    ...(workObserver === undefined ? {} : { workObserver }),
    secretKeys,
    plan,
    limits,
    ...addresses,
  });
}

/** Opens the service, does the work of a command, and closes the service. @param work  `database`: for messages */
export async function withService<T>(
  terminal: Terminal,
  work: (service: Service, database: string) => Promise<T>,
): Promise<T> {
  const configuration = readConfiguration(terminal.env, terminal.folder);
  const { host, port } = configuration;
  const service = await openService(
    configuration,
    {
      baseUrl: configuration.baseUrl ?? addressOf(host, port),
      dashboardUrl: configuration.dashboardUrl ?? addressOf(host, port + 1),
      mcpUrl: configuration.mcpUrl ?? addressOf(host, port + 2),
    },
    jsonLog(configuration.log, terminal.log),
  );
  try {
    return await work(service, configuration.database.name);
  } finally {
    await service.stop();
  }
}

/** The same for a command about one owner. @throws Error with a message for the user if there is no such owner */
export function withOwner<T>(
  terminal: Terminal,
  email: string,
  work: (service: Service, owner: Owner) => Promise<T>,
): Promise<T> {
  return withService(terminal, async (service, database) => {
    const owner = await service.owners.byEmail(email);
    if (owner !== undefined) return work(service, owner);
    throw new Error(`There is no owner ${email} in ${database}. Add one: countersign owner add ${email}`);
  });
}

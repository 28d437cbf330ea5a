import type { Owner } from '../../core/owners/owner-state.ts';
import type { Reader } from '../../core/ports/reader.ts';
import type { Service } from '../../core/service/service.ts';
import { addressOf } from './address.ts';
import { type Configuration, readConfiguration } from './configuration.ts';
import { jsonLog } from './log.ts';
import type { Terminal } from './terminal.ts';

/** Opens the service, does the work of a command, and closes the service. */
export async function withService<T>(
  terminal: Terminal,
  work: (service: Service, configuration: Configuration, reader: Reader) => Promise<T>,
): Promise<T> {
  const configuration = readConfiguration(terminal.env, terminal.folder);
  // Loading all adapters takes longer than most commands need, and a wrong option needs none of them.
  const { openService } = await import('./open-service.ts');
  const { host, port } = configuration;
  const { service, reader } = await openService(
    configuration,
    {
      baseUrl: configuration.baseUrl ?? addressOf(host, port),
      dashboardUrl: configuration.dashboardUrl ?? addressOf(host, port + 1),
      mcpUrl: configuration.mcpUrl ?? addressOf(host, port + 2),
    },
    jsonLog(configuration.log, terminal.log),
  );
  try {
    return await work(service, configuration, reader);
  } finally {
    await service.stop();
  }
}

/** The same for a command about one owner. @throws Error with a message for the user if there is no such owner */
export function withOwner<T>(
  terminal: Terminal,
  email: string,
  work: (service: Service, owner: Owner, configuration: Configuration, reader: Reader) => Promise<T>,
): Promise<T> {
  return withService(terminal, async (service, configuration, reader) => {
    const owner = await service.owners.byEmail(email);
    if (owner !== undefined) return work(service, owner, configuration, reader);
    const { name } = configuration.database;
    throw new Error(`There is no owner ${email} in ${name}. Add one: countersign owner add ${email}`);
  });
}

import { randomBytes } from 'node:crypto';
import type { Log } from '../../core/ports/log.ts';
import { createService as createServiceOn, type ServiceOptions } from '../../core/service/create-service.ts';
import type { Service } from '../../core/service/service.ts';
import { systemClock } from './system-clock.ts';

export * from '../../core/index.ts';

/** The options of the service; clock, randomness and log are optional. */
export type EmbeddedOptions<MailSettings = unknown, CalendarSettings = unknown> = Omit<
  ServiceOptions<MailSettings, CalendarSettings>,
  'clock' | 'random' | 'log'
> &
  Partial<Pick<ServiceOptions, 'clock' | 'random' | 'log'>>;

const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Creates the service with this machine's clock and randomness. It logs nothing unless you pass a log. The adapters
 * that you pass decide which `settings` `service.accounts.connect` takes.
 * @throws Error naming the missing or invalid option
 */
export function createService<MailSettings, CalendarSettings>(
  options: EmbeddedOptions<MailSettings, CalendarSettings>,
): Service<MailSettings & CalendarSettings> {
  const { clock = systemClock, random = randomBytes, log = silent } = options;
  return createServiceOn({ ...options, clock, random, log });
}

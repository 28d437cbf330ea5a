import { randomBytes } from 'node:crypto';
import { createService as createServiceOn, type ServiceOptions } from '../../core/create-service.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Service } from '../../core/service.ts';
import { systemClock } from './system-clock.ts';

export * from '../../core/index.ts';

/** The service's options; clock, randomness and log need not be given. */
export type EmbeddedOptions = Omit<ServiceOptions, 'clock' | 'random' | 'log'> &
  Partial<Pick<ServiceOptions, 'clock' | 'random' | 'log'>>;

const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * The service, on this machine's clock and randomness; it logs nothing unless it is given a log.
 * @throws Error naming the option that is missing or wrong
 */
export function createService(options: EmbeddedOptions): Service {
  return createServiceOn({ clock: systemClock, random: randomBytes, log: silent, ...options });
}

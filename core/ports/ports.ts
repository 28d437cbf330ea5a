import type { Clock, Random } from './clock.ts';
import type { Log } from './log.ts';
import type { Mail } from './mail.ts';
import type { Storage } from './storage.ts';

/** Everything that core needs from outside. An adapter fulfils one of them. */
export interface Ports {
  readonly storage: Storage;
  readonly mail: Mail;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The names of the ports, for the check of `createService`'s options. */
export const PORT_NAMES = [
  'storage',
  'mail',
  'clock',
  'random',
  'log',
] as const satisfies readonly (keyof Ports)[];

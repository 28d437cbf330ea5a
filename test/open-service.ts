import { randomBytes } from 'node:crypto';
import { inlineReader } from '../adapters/reader/inline-reader.ts';
import { sandboxCalendar } from '../adapters/sandbox/calendar.ts';
import { sandboxMail } from '../adapters/sandbox/mail.ts';
import type { Outcome } from '../core/call/outcome.ts';
import type { Modes, Preset } from '../core/keys/permissions.ts';
import type { Clock } from '../core/ports/clock.ts';
import { createService, type ServiceOptions } from '../core/service/create-service.ts';
import type { Service } from '../core/service/service.ts';
import { ADMISSION_ERRORS } from '../core/tools/call-errors.ts';
import { expectDeclared, expectDescribed } from './described-outcome.ts';
import { sqliteOnClock } from './store-clock.ts';

/** A service for tests, with a clock that tests can move. Default: the sandbox, on SQLite in memory. */

export interface TestClock extends Clock {
  /** Moves `now` forward (or back) relative to the real time. */
  shift: (ms: number) => void;
}

export function testClock(): TestClock {
  let shiftedMs = 0;
  return {
    now: () => new Date(Date.now() + shiftedMs),
    shift(ms) {
      shiftedMs += ms;
    },
    every(ms, task) {
      const timer = setInterval(task, ms);
      timer.unref();
      return () => clearInterval(timer);
    },
    after(ms, task) {
      const timer = setTimeout(task, ms);
      return () => clearTimeout(timer);
    },
  };
}

export const silentLog = { info() {}, warn() {}, error() {} };

export interface TestService {
  readonly service: Service;
  readonly clock: TestClock;
  readonly ownerId: string;
  addKey(preset: Preset, modes?: Partial<Modes>, name?: string): Promise<TestKey>;
}

export interface TestKey {
  readonly keyId: string;
  readonly apiKey: string;
  /** Admits and runs a call. @returns its outcome; a refused admission is a failure */
  call(tool: string, args?: unknown, idempotencyKey?: string): Promise<Outcome>;
}

export function wireBytes(outcome: Outcome): number {
  return Buffer.byteLength(JSON.stringify(outcome));
}

export async function callWith(
  service: Service,
  apiKey: string,
  tool: string,
  args: unknown = {},
  idempotencyKey?: string,
): Promise<Outcome> {
  const admission = await service.calls.admitCaller({ token: apiKey, address: '192.0.2.1' });
  if (admission.kind !== 'admitted') {
    expectDeclared('an admission', new Set(ADMISSION_ERRORS), admission.failure);
    return admission.failure;
  }
  const call = { tool, args, idempotencyKey, sizeBytes: wireBytes };
  const { outcome } = await service.calls.runTool(admission.caller, call);
  expectDescribed(tool, outcome);
  return outcome;
}

/** Opens a service with one owner and one connected sandbox account. Default limits: generous. */
export async function openTestService(
  options: Partial<Omit<ServiceOptions, 'calendar' | 'clock'>> & {
    clock?: TestClock;
    calendar?: ServiceOptions['calendar'] | undefined;
    email?: string;
    settings?: unknown;
    timezone?: string;
  } = {},
): Promise<TestService> {
  const { clock = testClock() } = options;
  const { email = 'demo@countersign.test', timezone = 'UTC', settings = {}, ...others } = options;
  const { calendar = sandboxCalendar(), ...given } = others;
  const connected = 'calendar' in options && options.calendar === undefined ? {} : { calendar };
  const service = createService({
    storage: sqliteOnClock(':memory:', () => clock.now().getTime()),
    mail: sandboxMail(),
    reader: inlineReader(),
    ...connected,
    clock,
    random: (bytes) => randomBytes(bytes),
    log: silentLog,
    secretKeys: [randomBytes(32)],
    baseUrl: 'http://127.0.0.1:8787',
    dashboardUrl: 'http://127.0.0.1:8788',
    limits: { callsPerMinute: 100_000, callsPerDay: 1_000_000 },
    ...given,
  });
  const { ownerId } = await service.owners.create({ email, timezone });
  await service.accounts.connect({ ownerId, email, settings });
  return {
    service,
    clock,
    ownerId,
    async addKey(preset, modes = {}, name = 'agent') {
      const key = await service.keys.create({ ownerId, name, preset, modes });
      return {
        ...key,
        call: (tool, args, idempotencyKey) => callWith(service, key.apiKey, tool, args, idempotencyKey),
      };
    },
  };
}

import { objectCalendar } from '../accounts/object-calendar.ts';
import { lookUpPorts, ownPorts, runPorts } from '../accounts/tool-ports.ts';
import { createIdentifiers } from '../call/identifiers.ts';
import { createExecutor } from '../execution/execute-approval.ts';
import { type LimitOverrides, PLAN_LIMITS } from '../gate/limits.ts';
import type { Plan } from '../gate/permissions.ts';
import type { Calendar } from '../ports/calendar.ts';
import type { CalendarObjects } from '../ports/calendar-objects.ts';
import { errorName } from '../ports/log.ts';
import { closePorts, PORTS, type Ports } from '../ports/ports.ts';
import { createKeyring } from '../secrets/keyring.ts';
import { ACTIVITY_KEPT_MS } from '../storage/check-activity.ts';
import { DAY_MS } from '../time/durations.ts';
import { createSummaryRefresh } from '../trackers/refresh-summaries.ts';
import { createInboxWatch } from '../trackers/watch-inboxes.ts';
import { createAccounts } from './accounts.ts';
import { createApprovalWaits } from './approval-waits.ts';
import { createApprovals } from './approvals.ts';
import { backgroundRound } from './background-round.ts';
import { createCallTool, settledWithin } from './call-tool.ts';
import { createCalls } from './calls.ts';
import { createPasswordCheck } from './check-password.ts';
import { coverActivity } from './cover-activity.ts';
import { createWebhookDelivery } from './deliver-webhooks.ts';
import { createKeys } from './keys.ts';
import { createOwners } from './owners.ts';
import type { Service } from './service.ts';
import { createSessions } from './sessions.ts';
import { createKeySigning } from './sign-keys.ts';
import { createWebhooks } from './webhooks.ts';

export interface ServiceOptions extends Omit<Ports, 'calendar'> {
  /**
   * Default: no calendar is connected. A store of iCalendar objects works, and so does a calendar without
   * iCalendar.
   */
  readonly calendar?: Calendar | CalendarObjects;
  /** 32 random bytes each. The first writes, all read. */
  readonly secretKeys: readonly Uint8Array[];
  /** Public address of the API host, without a path. */
  readonly baseUrl: string;
  /** Public address of the owner's dashboard, without a path. */
  readonly dashboardUrl: string;
  /** The plan of new owners. Default: `paid`. */
  readonly plan?: Plan;
  /** Limits of new owners that differ from the plan. */
  readonly limits?: LimitOverrides;
  /**
   * Length of the leases of calls and runs. Default: 30 s. After a hard kill, their slots and claims stay
   * busy for that long.
   */
  readonly leaseMs?: number;
}

const OPTION_NAMES: ReadonlySet<string> = new Set<string>([
  ...Object.keys(PORTS),
  ...(['secretKeys', 'baseUrl', 'dashboardUrl', 'plan', 'limits', 'leaseMs'] as const),
]);

const LEASE_MS = 30_000;
const PLANS_KEPT_MS = 30 * DAY_MS;
const EVENTS_KEPT_MS = 30 * DAY_MS;
const ROUND_MS = 5000;
const WATCH_MS = 30_000;
const WEBHOOKS_MS = 1000;
const STOP_WITHIN_MS = 8000;

/**
 * Checks the options and wires the ports.
 * @throws Error naming the option and the remedy
 */
export function createService(options: ServiceOptions): Service {
  checkOptions(options);
  const { storage, clock, random } = options;
  const ports = portsOf(options);
  const leaseMs = options.leaseMs ?? LEASE_MS;
  const baseUrl = origin('baseUrl', options.baseUrl);
  const dashboardUrl = origin('dashboardUrl', options.dashboardUrl);
  const keyring = createKeyring(options.secretKeys, random);
  const identifiers = createIdentifiers(keyring);
  const executor = createExecutor(ports, keyring, leaseMs);
  const listeners = new Set<(notice: { ownerId: string; approvalId: string }) => void>();

  const waits = createApprovalWaits(ports);
  const callTool = createCallTool({
    ports,
    lookUps: lookUpPorts(ports),
    ownPorts: ownPorts(ports),
    runPorts: runPorts(ports),
    keyring,
    identifiers,
    executor,
    waits,
    dashboardUrl,
    leaseMs,
    onPending(notice) {
      for (const listener of listeners) {
        // A listener is the app's own business: the request is filed, whether the listener throws now or
        // fails later.
        new Promise((resolve) => resolve(listener(notice))).catch((error: unknown) =>
          ports.log.error('a listener of approval.pending failed', errorName(error)),
        );
      }
    },
  });

  const keysSigned = createKeySigning(ports, keyring);
  const calls = createCalls(ports, keyring, keysSigned, leaseMs, callTool, waits);
  const checkPassword = createPasswordCheck(ports, keyring);
  const approvals = createApprovals(ports, keyring, keysSigned, leaseMs, (approval, sealedPlan) =>
    settledWithin(executor.executeApproval(approval, sealedPlan), approval, ports),
  );

  const inboxes = createInboxWatch(ports, keyring);
  const summaries = createSummaryRefresh(ports);
  const { webhookSender } = ports;
  const webhooks = webhookSender && createWebhookDelivery(ports, webhookSender, keyring);
  /** Work that is repeated, each kind never twice at a time. */
  const rounds = [
    backgroundRound('recovery', recover, ROUND_MS, ports),
    backgroundRound('inbox watch', inboxes.round, WATCH_MS, ports),
    backgroundRound('tracker summaries', summaries.round, ROUND_MS, ports),
    ...(webhooks === undefined ? [] : [backgroundRound('webhooks', webhooks.round, WEBHOOKS_MS, ports)]),
  ];

  async function recover(): Promise<void> {
    await keysSigned();
    const now = clock.now();
    const before = (ms: number) => new Date(now.getTime() - ms);
    await storage.expire(now);
    await executor.recover();
    // What is erased was covered before: the checkpoints have no gaps.
    await coverActivity(ports, keyring);
    await storage.erase({
      plansBefore: before(PLANS_KEPT_MS),
      eventsBefore: before(EVENTS_KEPT_MS),
      activityBefore: before(ACTIVITY_KEPT_MS),
      claimsBefore: before(DAY_MS),
      passwordTriesBefore: now,
    });
  }

  return {
    baseUrl,
    dashboardUrl,
    calls,
    approvals,
    owners: createOwners(ports, keyring, options.plan ?? 'paid', options.limits ?? {}),
    sessions: createSessions(ports, checkPassword),
    keys: createKeys(ports, keyring, keysSigned),
    accounts: createAccounts(ports, keyring),
    webhooks: createWebhooks(ports, keyring),
    trackers: {
      list: (ownerId, { state, before, limit }) => storage.trackers({ ownerId, state, before, limit }),
      show: (ownerId, trackerId, { upTo, limit }) => storage.tracker({ ownerId, trackerId, upTo, limit }),
    },
    on(_event, listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    healthy: () => storage.healthy(),
    recover,
    async watch() {
      await inboxes.round();
      await summaries.round();
    },
    start() {
      for (const round of rounds) round.start();
    },
    async stop(withinMs = STOP_WITHIN_MS) {
      inboxes.stop();
      summaries.stop();
      const ended = [waits, ...rounds, ...(webhooks === undefined ? [] : [webhooks])].map((work) =>
        work.stop(),
      );
      let given = (): void => {};
      const patience = new Promise<void>((resolve) => {
        given = clock.after(withinMs, resolve);
      });
      await Promise.race([Promise.all([executor.idle(), ...ended]), patience]);
      given();
      await closePorts(ports);
    },
  };
}

function portsOf({ calendar, ...ports }: ServiceOptions): Ports {
  if (calendar === undefined) return ports;
  return { ...ports, calendar: 'inRange' in calendar ? objectCalendar(calendar, ports) : calendar };
}

function checkOptions(options: ServiceOptions): void {
  const unknown = Object.keys(options).find((name) => !OPTION_NAMES.has(name));
  if (unknown !== undefined) {
    throw new Error(
      `createService: there is no option ${unknown}. The options are ${[...OPTION_NAMES].join(', ')}.`,
    );
  }
  const given: Readonly<Record<string, unknown>> = { ...options };
  const required = Object.entries(PORTS).flatMap(([name, need]) => (need === 'required' ? [name] : []));
  const missing = [...required, 'secretKeys', 'baseUrl', 'dashboardUrl'].find(
    (name) => given[name] === undefined || given[name] === null,
  );
  if (missing !== undefined) throw new Error(`createService: the option ${missing} is missing.`);
  if (options.plan !== undefined && !Object.hasOwn(PLAN_LIMITS, options.plan)) {
    throw new Error(`createService: plan must be ${Object.keys(PLAN_LIMITS).join(' or ')}.`);
  }
  for (const [name, limit] of Object.entries(options.limits ?? {})) {
    if (!Object.hasOwn(PLAN_LIMITS.free, name)) throw new Error(`createService: limits has no ${name}.`);
    if (!Number.isInteger(limit) || limit < 0) {
      throw new Error(`createService: limits.${name} must be a whole number, 0 or more.`);
    }
  }
}

function origin(name: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const plain =
    url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
  if (!plain || url.hash !== '' || url.username !== '') {
    throw new Error(
      `createService: ${name} must be an address such as https://api.example.org, without a path.`,
    );
  }
  return url.origin;
}

import { accountPorts } from '../accounts/account-ports.ts';
import { createAccounts } from '../accounts/accounts.ts';
import { closePorts } from '../accounts/close-ports.ts';
import { findAccount } from '../accounts/find-account.ts';
import { limitedPorts } from '../accounts/limited-ports.ts';
import { mailAccount } from '../accounts/mail-call.ts';
import { objectCalendar } from '../accounts/object-calendar.ts';
import { createMailSignIns } from '../accounts/provider-sign-in.ts';
import { lookUpPorts, ownPorts, runPorts } from '../accounts/tool-ports.ts';
import { createCursors } from '../call/cursors.ts';
import { keepIds } from '../call/keep-ids.ts';
import { createMessageHandles } from '../call/message-handles.ts';
import { readRecorder } from '../call/read-recorder.ts';
import { readBasePath } from '../contract/base-path.ts';
import { checkOptions, type OptionTypes } from '../contract/options.ts';
import type { SubscribedType } from '../events/webhook-event.ts';
import { createWebhooks } from '../events/webhooks.ts';
import { createExecutor } from '../execution/execute-approval.ts';
import { ownerWordsOf } from '../execution/sealed-words.ts';
import { createAdmission } from '../gate/admission.ts';
import { createApprovalWaits } from '../gate/approval-waits.ts';
import type { CallDependencies } from '../gate/call-dependencies.ts';
import { createCalls } from '../gate/calls.ts';
import { createKeyCalls } from '../gate/key-calls.ts';
import { settledWithin } from '../gate/perform-write.ts';
import { createRunTool } from '../gate/run-tool.ts';
import { isAccessToken, isApiKey } from '../keys/credential.ts';
import { createKeys } from '../keys/keys.ts';
import { type LimitOverrides, limitProblem, PLAN_LIMITS } from '../keys/limits.ts';
import type { Plan } from '../keys/permissions.ts';
import { createSignIns } from '../keys/sign-ins.ts';
import { indexedMail } from '../mail-index/indexed-mail.ts';
import type { MailIndexing } from '../mail-index/kept-index.ts';
import { createMailIndexes } from '../mail-index/mail-indexes.ts';
import { createNotices } from '../notices/notices.ts';
import { createPasskeyCheck } from '../owners/check-passkey.ts';
import { createPasswordCheck } from '../owners/check-password.ts';
import { createSecondStepCheck } from '../owners/check-second-step.ts';
import { createOwners } from '../owners/owners.ts';
import { createPasskeyChallenges } from '../owners/passkey-challenges.ts';
import { createSecondSteps } from '../owners/second-steps.ts';
import { createSessions } from '../owners/sessions.ts';
import { createSetup } from '../owners/setup.ts';
import type { Calendar } from '../ports/calendar.ts';
import type { CalendarObjects } from '../ports/calendar-objects.ts';
import { errorName } from '../ports/log.ts';
import { type Mail, PORTS, type Ports } from '../ports/ports.ts';
import { createActivityList } from '../requests/activity-list.ts';
import { createApprovals } from '../requests/approvals.ts';
import { createDecideTogether } from '../requests/decide-together.ts';
import { requestSummaryOf } from '../requests/request-summary.ts';
import { createRequestWatch } from '../requests/request-watch.ts';
import { createKeyring, type Keyring } from '../secrets/keyring.ts';
import { linkSent } from '../trackers/link-sent.ts';
import { createTrackerLinks } from '../trackers/tracker-links.ts';
import { createTrackers } from '../trackers/trackers.ts';
import { createLifecycle } from '../work/lifecycle.ts';
import { waitAtMost } from '../work/wait-at-most.ts';
import { createBackgroundWork } from './background-work.ts';
import { createForgetAccount } from './forget-account.ts';
import type { OnArguments, PendingListener, Service } from './service.ts';

/** @typeParam MailSettings, CalendarSettings  what the adapters read from the `settings` of an account */
export interface ServiceOptions<MailSettings = unknown, CalendarSettings = unknown>
  extends Omit<Ports, 'mail' | 'calendar'> {
  readonly mail: Mail<MailSettings>;
  /**
   * Default: no calendar is connected. A store of iCalendar objects works, and so does a calendar without
   * iCalendar.
   */
  readonly calendar?: Calendar<CalendarSettings> | CalendarObjects<CalendarSettings>;
  /** 32 random bytes each. The first writes, all read. */
  readonly secretKeys: readonly Uint8Array[];
  /** Public address of the API, for example `https://api.example.org` or `https://app.example.org/countersign`. */
  readonly baseUrl: string;
  /** Public address of the owner's dashboard, as above. */
  readonly dashboardUrl: string;
  /** Public address of the host where assistants sign in. Default: there is none. */
  readonly mcpUrl?: string;
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

const OPTIONS: OptionTypes<ServiceOptions> = {
  ...PORTS,
  secretKeys: ['required', 'object'],
  baseUrl: ['required', 'string'],
  dashboardUrl: ['required', 'string'],
  mcpUrl: ['optional', 'string'],
  plan: ['optional', 'string'],
  limits: ['optional', 'object'],
  leaseMs: ['optional', 'number'],
};

const LEASE_MS = 30_000;
/** Most mail servers take a message in less. */
const STOP_WITHIN_MS = 30_000;
/** A request to a webhook that a stop interrupts is made again, so it does not hold up a stop for long. */
const POSTS_END_WITHIN_MS = 4000;

/**
 * Checks the options and wires the ports.
 * @throws Error naming the option and the remedy
 */
export function createService<MailSettings, CalendarSettings>(
  options: ServiceOptions<MailSettings, CalendarSettings>,
): Service<MailSettings & CalendarSettings> {
  checkServiceOptions(options);
  const lifecycle = createLifecycle(options.storage, options.clock);
  const { storage, clock } = lifecycle;
  const { random } = options;
  const keyring = createKeyring(options.secretKeys, random);
  const { ports, healthStored, indexing } = portsOf({ ...options, storage, clock }, keyring);
  const leaseMs = options.leaseMs ?? LEASE_MS;
  const baseUrl = address('baseUrl', options.baseUrl);
  const dashboardUrl = address('dashboardUrl', options.dashboardUrl);
  const mcpUrl = options.mcpUrl === undefined ? undefined : address('mcpUrl', options.mcpUrl);
  const handles = createMessageHandles(keyring, storage, clock);
  const executor = createExecutor(ports, keyring, leaseMs, {
    linkSent: (run, action) => linkSent(ports, run, action),
    keepIds: (ownerId, action, result) => keepIds({ handles, log: ports.log }, ownerId, action, result),
  });
  const listeners = new Set<PendingListener>();

  const ownerWords = ownerWordsOf(keyring, ports.log);
  const waits = createApprovalWaits(ports);
  const requests = createRequestWatch(ports);
  const endWaits = async () => void (await Promise.all([waits.stop(), requests.stop()]));
  const parts: CallDependencies = {
    ports,
    lookUps: lookUpPorts(ports),
    ownPorts: ownPorts(ports),
    runPorts: runPorts(ports),
    keyring,
    recordRead: readRecorder(keyring, ports.reader),
    cursors: createCursors(keyring),
    handles,
    executor,
    waits,
    dashboardUrl,
    ownerWords,
    requestSummary: requestSummaryOf(keyring, ports.log),
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
  };
  const run = createRunTool(parts);
  const runTool: typeof run = (caller, call) => lifecycle.during(run(caller, call));
  const admit = createAdmission(ports, keyring, leaseMs, lifecycle);
  const callsWith = (isAccepted: (token: string) => boolean) =>
    createCalls(ports, admit, runTool, endWaits, isAccepted);
  const calls = callsWith(isApiKey);
  const checkPassword = createPasswordCheck(ports, keyring);
  const checkSecondStep = createSecondStepCheck(ports, keyring);
  const challenges = createPasskeyChallenges(ports, keyring);
  const checkPasskey = createPasskeyCheck(ports, challenges, checkSecondStep);
  const standard = { plan: options.plan ?? 'paid', limits: options.limits ?? {} };
  const approvals = createApprovals(parts, (approval, sealedPlan) =>
    settledWithin(executor.executeApproval(approval, sealedPlan), approval, ports),
  );
  const forgetAccount = createForgetAccount(ports, indexing);
  const accounts = createAccounts(ports, keyring, healthStored, forgetAccount);
  const { executeApproval } = executor;
  const decideTogether = createDecideTogether(ports, keyring, leaseMs, executeApproval);

  const background = createBackgroundWork({
    ports,
    keyring,
    handles,
    executor,
    leaseMs,
    dashboardUrl,
    indexing,
  });

  function on(...args: OnArguments<'approval.pending'>): () => void;
  function on<Type extends SubscribedType>(...args: OnArguments<Type>): Promise<() => void>;
  function on(
    ...args: { [Name in 'approval.pending' | SubscribedType]: OnArguments<Name> }[
      | 'approval.pending'
      | SubscribedType]
  ): (() => void) | Promise<() => void> {
    switch (args[0]) {
      case 'approval.decided':
        return background.on(args[0], args[1], args[2]?.after);
      case 'message.received':
        return background.on(args[0], args[1], args[2]?.after);
      case 'approval.pending': {
        lifecycle.check();
        const [, listener] = args;
        listeners.add(listener);
        return () => listeners.delete(listener);
      }
    }
  }

  async function workEnded(withinMs: number): Promise<void> {
    const graceMs = Math.min(withinMs / 2, POSTS_END_WITHIN_MS);
    await Promise.all([endWaits(), lifecycle.stop(), background.stop(graceMs)]);
    // The calls and the background work start runs.
    await executor.idle();
    await healthStored();
  }

  async function stopNow(withinMs: number): Promise<void> {
    await waitAtMost(clock, withinMs, workEnded(withinMs));
    lifecycle.close();
    // Only now: a send that has started keeps its lease, and recovery finds out what became of it.
    executor.interrupt();
    await closePorts({ ...ports, storage: options.storage, clock: options.clock });
  }

  let stopped: Promise<void> | undefined;
  function stop(withinMs = STOP_WITHIN_MS): Promise<void> {
    stopped ??= stopNow(withinMs);
    return stopped;
  }

  return {
    baseUrl,
    dashboardUrl,
    mcpUrl,
    calls,
    approvals: { ...approvals, decideTogether, now: requests.now, watch: requests.watch },
    owners: {
      ...createOwners(ports, keyring, standard, forgetAccount),
      ...createActivityList(ports, keyring),
    },
    setup: createSetup(ports, keyring, standard),
    sessions: createSessions(ports, keyring, checkPassword, checkSecondStep, checkPasskey),
    secondSteps: createSecondSteps(ports, keyring, challenges),
    keys: createKeys(ports, keyring),
    signIns: { ...createSignIns(ports, keyring), calls: callsWith(isAccessToken) },
    accounts,
    mailSignIns: createMailSignIns(ports, keyring, accounts),
    mailIndexes: createMailIndexes(ports, keyring, indexing),
    webhooks: createWebhooks(ports, keyring),
    notices: createNotices(ports, keyring, dashboardUrl),
    trackers: { ...createTrackers(ports), ...createTrackerLinks(parts) },
    on,
    as: createKeyCalls(admit, calls),
    healthy: () => storage.healthy(),
    recover: background.recover,
    watch: background.watch,
    start() {
      lifecycle.check();
      background.start();
    },
    stop,
    [Symbol.asyncDispose]: () => stop(),
  };
}

/** @returns also a function that waits until the health of accounts is stored */
function portsOf(
  { calendar, ...ports }: ServiceOptions,
  keyring: Keyring,
): {
  ports: Ports;
  healthStored: () => Promise<void>;
  indexing: MailIndexing | undefined;
} {
  const others = { ...ports, ...limitedPorts(ports) };
  const events = calendar && ('inRange' in calendar ? objectCalendar(calendar, others) : calendar);
  const used = accountPorts({ ...others, ...(events && { calendar: events }) });
  const { mailIndex: index } = ports;
  const indexed =
    index &&
    indexedMail({
      ...others,
      ...{ mail: used.mail, index, secretKey: keyring.keyFor('mail-index') },
      async current({ ownerId, accountId }) {
        const account = await findAccount(others.storage, ownerId, accountId);
        return account && mailAccount(others, keyring, account);
      },
    });
  const mail = indexed ?? used.mail;
  return {
    ports: { ...others, mail, ...(used.calendar && { calendar: used.calendar }) },
    healthStored: used.healthStored,
    indexing: indexed,
  };
}

function checkServiceOptions(options: ServiceOptions): void {
  checkOptions('createService', options, OPTIONS);
  if (options.plan !== undefined && !Object.hasOwn(PLAN_LIMITS, options.plan)) {
    throw new Error(`createService: plan must be ${Object.keys(PLAN_LIMITS).join(' or ')}.`);
  }
  const wrong = limitProblem({ ...options.limits });
  if (wrong?.problem === 'unknown') throw new Error(`createService: limits has no ${wrong.name}.`);
  if (wrong !== undefined) {
    throw new Error(`createService: limits.${wrong.name} must be a whole number, 0 or more.`);
  }
}

/** Returns an address without a slash at its end. */
function address(name: string, value: string): string {
  const url = webAddress(value);
  const path = url && readBasePath(url.pathname);
  if (path === undefined) {
    throw new Error(
      `createService: ${name} must be an address such as https://api.example.org. It may have a path such as ` +
        '/countersign, of letters, digits, and the characters . _ ~ - between slashes.',
    );
  }
  return `${url?.origin}${path}`;
}

/** Undefined if it is not an http or https URL, or has a user, a query or a fragment. */
function webAddress(value: string): URL | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return url.search === '' && url.hash === '' && url.username === '' ? url : undefined;
}

import { createAddressBudget } from './address-budget.ts';
import type { Approval } from './approval.ts';
import { backgroundRound } from './background-round.ts';
import { eventChange } from './calendar/event-plan.ts';
import { createCallTool, settledWithin, unavailable } from './call-tool.ts';
import {
  isWellFormed,
  KEY_DAYS_DEFAULT,
  KEY_DAYS_MAX,
  newApiKey,
  ROTATION_OVERLAP_HOURS,
  secretHash,
} from './credential.ts';
import { ServiceError } from './errors.ts';
import { createExecutor, openPlan } from './execute-approval.ts';
import { holdText } from './holds.ts';
import { createIdentifiers, credentialId } from './identifiers.ts';
import { createKeyring, type Keyring } from './keyring.ts';
import { DAY_MS, HOUR_MS, type LimitOverrides, PLAN_LIMITS } from './limits.ts';
import { sealSettings } from './mail-call.ts';
import { failure } from './outcome.ts';
import { hashPassword, passwordMatches } from './password.ts';
import { effectiveMode, type Modes, type Plan, PRESETS, wrongModes } from './permissions.ts';
import type { MailCall } from './ports/mail.ts';
import { closePorts, PORTS, type Ports } from './ports/ports.ts';
import { createSummaryRefresh } from './refresh-summaries.ts';
import { address, bodyText, codePoints, invalidArgument, line, text } from './schema.ts';
import { readSentMessage } from './sent-message.ts';
import type { Accounts, Approvals, Calls, Keys, Owners, Service } from './service.ts';
import { isTimeZone } from './time-zone.ts';
import { CATALOGUE, toolNamed } from './tools/catalogue.ts';
import { listingOf, targetsBegin } from './tools/define-tool.ts';
import { createInboxWatch } from './watch-inboxes.ts';

export interface ServiceOptions extends Ports {
  /** 32 random bytes each; the first writes, all of them read. */
  readonly secretKeys: readonly Uint8Array[];
  /** Public address of the API host, without a path. */
  readonly baseUrl: string;
  /** Public address of the owner's dashboard, without a path. */
  readonly dashboardUrl: string;
  /** What new owners get; default `paid`. */
  readonly plan?: Plan;
  /** Single limits of new owners. */
  readonly limits?: LimitOverrides;
  /** Leases of calls and runs; default 30 s. After a hard kill, what it held is busy for that long. */
  readonly leaseMs?: number;
}

const OPTION_NAMES: ReadonlySet<string> = new Set<string>([
  ...Object.keys(PORTS),
  ...(['secretKeys', 'baseUrl', 'dashboardUrl', 'plan', 'limits', 'leaseMs'] as const),
]);

const LEASE_MS = 30_000;
/** Source: API-NOTES.md, order of refusals: 60 a minute for those who hold no key. */
const CALLS_WITHOUT_KEY = 60;
const SIGN_INS_PER_ADDRESS = 10;
const SIGN_INS_PER_EMAIL = 10;
const SESSION_MS = 14 * DAY_MS;
const PLANS_KEPT_MS = 30 * DAY_MS;
const ACTIVITY_KEPT_MS = 90 * DAY_MS;
const ROUND_MS = 5000;
const WATCH_MS = 30_000;
const STOP_WITHIN_MS = 8000;

/**
 * Checks the options and wires the ports.
 * @throws Error naming the option and the remedy
 */
export function createService(options: ServiceOptions): Service {
  checkOptions(options);
  const { storage, clock, random } = options;
  const ports: Ports = options;
  const leaseMs = options.leaseMs ?? LEASE_MS;
  const baseUrl = origin('baseUrl', options.baseUrl);
  const dashboardUrl = origin('dashboardUrl', options.dashboardUrl);
  const keyring = createKeyring(options.secretKeys, random);
  const identifiers = createIdentifiers(keyring);
  const executor = createExecutor(ports, keyring, leaseMs);
  const listeners = new Set<(notice: { ownerId: string; approvalId: string }) => void>();

  const callTool = createCallTool({
    ports,
    keyring,
    identifiers,
    executor,
    dashboardUrl,
    leaseMs,
    onPending(notice) {
      for (const listener of listeners) listener(notice);
    },
  });

  const calls = createCalls(ports, leaseMs, callTool);
  const approvals = createApprovals(ports, keyring, leaseMs, (approval, sealedPlan) =>
    settledWithin(executor.run(approval, sealedPlan), approval, ports),
  );

  const inboxes = createInboxWatch(ports, keyring);
  const summaries = createSummaryRefresh(ports);
  /** What is done again and again, each never twice at a time. */
  const rounds = [
    backgroundRound(recover, ROUND_MS, ports),
    backgroundRound(inboxes.round, WATCH_MS, ports),
    backgroundRound(summaries.round, ROUND_MS, ports),
  ];

  async function recover(): Promise<void> {
    const now = clock.now();
    const before = (ms: number) => new Date(now.getTime() - ms);
    await storage.expire(now);
    await executor.recover();
    await storage.erase({
      plansBefore: before(PLANS_KEPT_MS),
      activityBefore: before(ACTIVITY_KEPT_MS),
      claimsBefore: before(DAY_MS),
    });
  }

  return {
    baseUrl,
    dashboardUrl,
    calls,
    approvals,
    owners: createOwners(ports, options.plan ?? 'paid', options.limits ?? {}),
    keys: createKeys(ports),
    accounts: createAccounts(ports, keyring),
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
      const ended = rounds.map((round) => round.stop());
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
    (name) => given[name] === undefined,
  );
  if (missing !== undefined) throw new Error(`createService: the option ${missing} is missing.`);
  for (const name of Object.keys(options.limits ?? {})) {
    if (!(name in PLAN_LIMITS.free)) throw new Error(`createService: limits has no ${name}.`);
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

function createCalls({ storage, clock, random, log }: Ports, leaseMs: number, callTool: Calls['run']): Calls {
  const strangers = createAddressBudget(CALLS_WITHOUT_KEY);
  return {
    async admit({ token, address: from }) {
      const now = clock.now();
      const slotId = Buffer.from(random(12)).toString('base64url');
      if (token !== undefined && isWellFormed(token)) {
        try {
          const admitted = await storage.admit({ secretHash: secretHash(token), slotId, leaseMs, now });
          if (admitted.kind === 'admitted') return admitted;
          if (admitted.kind === 'over') {
            const { code, retryAfterS, resetsAt, rate } = admitted.verdict;
            const resets = resetsAt === undefined ? {} : { resets_at: resetsAt.toISOString() };
            return {
              kind: 'over',
              failure: failure(code, { retry_after_s: retryAfterS, ...resets }),
              retryAfterS,
              rate,
            };
          }
        } catch (error) {
          log.error('a call could not be admitted', {
            error: error instanceof Error ? error.name : typeof error,
          });
          const { code, details } = unavailable(error);
          return { kind: 'refused', failure: failure(code, details), rate: strangers.take(from, now).rate };
        }
      }
      const { within, rate } = strangers.take(from, now);
      const refusal = within
        ? failure('invalid_token')
        : failure('rate_limited', { retry_after_s: rate.resetS });
      return { kind: 'refused', failure: refusal, rate };
    },
    run: callTool,
    async leave(caller, outcome) {
      const now = clock.now();
      await storage.finish({
        caller: { ownerId: caller.owner.ownerId, credentialId: caller.credential.credentialId },
        slotId: caller.slotId,
        claim: null,
        activity: {
          kind: 'call',
          credentialId: caller.credential.credentialId,
          tool: null,
          outcome,
          approvalId: null,
          durationMs: 0,
          shown: [],
          listed: [],
        },
        now,
      });
    },
    tools({ credential, owner }) {
      return CATALOGUE.filter(
        ({ group }) => group === null || effectiveMode(group, credential.modes[group], owner.plan) !== 'off',
      ).map(listingOf);
    },
  };
}

const notFound = (reason: string) => new ServiceError('not_found', { details: { reason } });

function createOwners({ storage, clock, random }: Ports, plan: Plan, limits: LimitOverrides): Owners {
  const tries = {
    byAddress: createAddressBudget(SIGN_INS_PER_ADDRESS),
    byEmail: createAddressBudget(SIGN_INS_PER_EMAIL),
  };
  // One check at a time: each takes 128 MB and most of a second of a core.
  let checking: Promise<unknown> = Promise.resolve();

  return {
    async create({ ownerId = Buffer.from(random(12)).toString('hex'), email, timezone = 'UTC', password }) {
      if (!address.safeParse(email).success)
        throw invalidArgument('email', 'format', 'is a bare email address');
      if (!isTimeZone(timezone))
        throw invalidArgument('timezone', 'format', 'is an IANA name such as Europe/Berlin');
      const passwordHash = password === undefined ? null : await newHash(password, random);
      const made = await storage.addOwner({
        ownerId,
        email,
        timezone,
        plan,
        limits,
        passwordHash,
        now: clock.now(),
      });
      if (!made)
        throw invalidArgument('email', 'unique', 'is the email or id of an owner that exists already');
      return { ownerId };
    },
    async byEmail(email) {
      return (await storage.ownerByEmail(email))?.owner;
    },
    async setPassword(ownerId, password) {
      if (!(await storage.setPassword(ownerId, await newHash(password, random)))) throw notFound('owner');
    },
    async signIn({ email, password, address: from }) {
      const now = clock.now();
      for (const taken of [tries.byAddress.take(from, now), tries.byEmail.take(email.toLowerCase(), now)]) {
        if (!taken.within)
          throw new ServiceError('rate_limited', { details: { retry_after_s: taken.rate.resetS } });
      }
      const found = await storage.ownerByEmail(email);
      const check = checking.then(() => passwordMatches(password, found?.passwordHash ?? null));
      checking = check.catch(() => undefined);
      if (!(await check) || found === undefined) return undefined;
      const token = Buffer.from(random(32)).toString('base64url');
      const expiresAt = new Date(now.getTime() + SESSION_MS);
      await storage.addSession({
        tokenHash: secretHash(token),
        ownerId: found.owner.ownerId,
        expiresAt,
        now,
      });
      return token;
    },
    session: (token) => storage.session(secretHash(token), clock.now()),
    signOut: (token) => storage.endSession(secretHash(token)),
    activity: (ownerId, limit) => storage.activity({ ownerId, limit }),
    events: (ownerId, afterId, limit) => storage.events({ ownerId, afterId, limit }),
  };
}

const PASSWORD_CHARS_MIN = 10;

async function newHash(password: string, random: Ports['random']): Promise<string> {
  if (codePoints(password) < PASSWORD_CHARS_MIN || codePoints(password) > 1000) {
    throw invalidArgument('password', 'length', `has ${PASSWORD_CHARS_MIN} to 1000 characters`);
  }
  return hashPassword(password, random);
}

const keyName = line({ min: 1, max: 100, description: '' });

function createKeys({ storage, clock, random }: Ports): Keys {
  const changed = (base: Modes, changes: Partial<Modes>): Modes => {
    const modes = { ...base, ...changes };
    const [wrong] = wrongModes(modes);
    if (wrong !== undefined) throw invalidArgument(wrong, 'mode', `cannot be ${modes[wrong]}`);
    return modes;
  };
  const keyOf = async (ownerId: string, keyId: string) => {
    const key = (await storage.credentials(ownerId)).find((one) => one.credentialId === keyId);
    if (key === undefined) throw notFound('key');
    return key;
  };
  return {
    async create({ ownerId, name, preset, modes = {}, days = KEY_DAYS_DEFAULT }) {
      if (!keyName.safeParse(name).success)
        throw invalidArgument('name', 'length', 'is one line of 1 to 100 characters');
      if (!Number.isInteger(days) || days < 1 || days > KEY_DAYS_MAX) {
        throw invalidArgument('days', 'range', `is 1 to ${KEY_DAYS_MAX}`);
      }
      if ((await storage.owner(ownerId)) === undefined) throw notFound('owner');
      const now = clock.now();
      const apiKey = newApiKey(random);
      const added = await storage.addCredential({
        ownerId,
        credentialId: credentialId(random),
        kind: 'pat',
        name,
        modes: changed(PRESETS[preset].modes, modes),
        secretHash: secretHash(apiKey),
        expiresAt: new Date(now.getTime() + days * DAY_MS),
        now,
      });
      return { keyId: added.credentialId, apiKey };
    },
    list: (ownerId) => storage.credentials(ownerId),
    async rotate(ownerId, keyId) {
      const now = clock.now();
      const apiKey = newApiKey(random);
      const rotated = await storage.rotate({
        ownerId,
        credentialId: keyId,
        secretHash: secretHash(apiKey),
        expiresAt: new Date(now.getTime() + KEY_DAYS_DEFAULT * DAY_MS),
        overlapMs: ROTATION_OVERLAP_HOURS * HOUR_MS,
        now,
      });
      if (rotated === undefined) throw notFound('key');
      return { apiKey };
    },
    async revoke(ownerId, keyId) {
      const revoked = await storage.revoke({ ownerId, credentialId: keyId, now: clock.now() });
      if (revoked === undefined) throw notFound('key');
    },
    async setModes(ownerId, keyId, modes) {
      const key = await keyOf(ownerId, keyId);
      const now = clock.now();
      const set = await storage.setModes({
        ownerId,
        credentialId: keyId,
        modes: changed(key.modes, modes),
        now,
      });
      if (set === undefined) throw notFound('key');
    },
    async revokeLeaked(apiKey) {
      if (isWellFormed(apiKey)) await storage.revokeBySecret(secretHash(apiKey), clock.now());
    },
  };
}

const accountLabel = line({ min: 1, max: 254, description: '' });
const accountSignature = text({ min: 0, max: 2000, description: '' });

function createAccounts({ storage, mail, calendar, clock }: Ports, keyring: Keyring): Accounts {
  /** Calls the servers of an account that is not saved, and leaves no connection behind. */
  async function onTrial<T>(
    { ownerId, email, settings }: { ownerId: string; email: string; settings: unknown },
    ask: (call: MailCall) => Promise<T>,
  ): Promise<T> {
    const account = { ownerId, accountId: 0, email, settings: async () => settings };
    try {
      return await ask({ account, signal: new AbortController().signal, deadlineMs: CONNECT_MS });
    } finally {
      await mail.forget(ownerId, 0);
      await calendar?.forget(ownerId, 0);
    }
  }

  return {
    async connect({ ownerId, email, label = email, signature = '', settings }) {
      if (!address.safeParse(email).success)
        throw invalidArgument('email', 'format', 'is a bare email address');
      if (!accountLabel.safeParse(label).success)
        throw invalidArgument('label', 'length', 'is one line of 1 to 254 characters');
      if (!accountSignature.safeParse(signature).success)
        throw invalidArgument('signature', 'length', 'is text of at most 2000 characters');
      if ((await storage.owner(ownerId)) === undefined) throw notFound('owner');
      await onTrial({ ownerId, email, settings }, async (call) => {
        await mail.verify(call);
        // It signs in, and finds the calendar that was chosen to be written to.
        await calendar?.target(call);
      });
      const seal = (accountId: number) => sealSettings(keyring, ownerId, accountId, settings);
      const account = await storage.addAccount({
        ownerId,
        label,
        email,
        signature: bodyText(signature),
        seal,
        now: clock.now(),
      });
      return { accountId: account.accountId };
    },
    async calendars(account) {
      return onTrial(account, async (call) => (await calendar?.calendars(call)) ?? []);
    },
    list: (ownerId) => storage.accounts(ownerId),
    async activate(ownerId, accountId) {
      if (!(await storage.activateAccount(ownerId, accountId))) throw notFound('account');
    },
    async remove(ownerId, accountId) {
      const removed = await storage.removeAccount({
        ownerId,
        accountId,
        targetsBegin: targetsBegin(accountId),
        now: clock.now(),
      });
      if (!removed) throw notFound('account');
      await mail.forget(ownerId, accountId);
      await calendar?.forget(ownerId, accountId);
    },
  };
}

const CONNECT_MS = 30_000;

const UNREADABLE = { plan: null, message: null, event: null };

function createApprovals(
  { storage, clock, log }: Ports,
  keyring: Keyring,
  leaseMs: number,
  run: (approval: Approval, sealedPlan: string | null) => Promise<Approval>,
): Approvals {
  /** A plan that cannot be read must not keep the owner from seeing, and rejecting, the request. */
  async function readable(approval: Approval, sealed: string | undefined) {
    if (sealed === undefined) return UNREADABLE;
    try {
      const plan = openPlan(keyring, approval, sealed);
      const raw = plan.raw === null ? null : Buffer.from(plan.raw, 'base64');
      const message = raw === null ? null : await readSentMessage(raw);
      const isOfEvent = approval.group === 'calendar:write';
      return { plan, message, event: isOfEvent ? eventChange(plan, message) : null };
    } catch (error) {
      log.error('a plan could not be read', {
        approval: approval.id,
        error: error instanceof Error ? error.name : typeof error,
      });
      return UNREADABLE;
    }
  }

  return {
    list: (ownerId, { state, after, limit }) =>
      storage.approvals({ ownerId, credentialId: undefined, state, after, limit }),
    async show(ownerId, approvalId) {
      const approval = await storage.approval(ownerId, approvalId);
      if (approval === undefined) return undefined;
      const sealed = await storage.plan(ownerId, approvalId);
      const { plan, message, event } = await readable(approval, sealed);
      const key = (await storage.credentials(ownerId)).find(
        (one) => one.credentialId === approval.credentialId,
      );
      return {
        approval,
        keyName: key?.name ?? '',
        title: toolNamed(approval.tool)?.title ?? approval.tool,
        plan,
        message,
        event,
        notes: [...approval.reasons.map(holdText), ...(plan?.warnings ?? [])],
      };
    },
    async approve(ownerId, approvalId, digest) {
      const now = clock.now();
      const decision = { type: 'approve', digest } as const;
      const decided = await storage.decide({ ownerId, approvalId, decision, leaseMs, now });
      if (decided === undefined) return undefined;
      if (!decided.won) return { approval: decided.approval, won: false };
      return { approval: await run(decided.approval, decided.sealedPlan), won: true };
    },
    async reject(ownerId, approvalId) {
      const now = clock.now();
      const decided = await storage.decide({
        ownerId,
        approvalId,
        decision: { type: 'reject' },
        leaseMs,
        now,
      });
      return decided && { approval: decided.approval, won: decided.won };
    },
  };
}

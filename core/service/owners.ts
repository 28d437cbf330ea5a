import { createAddressBudget } from '../address-budget.ts';
import { codePoints } from '../code-points.ts';
import { secretHash } from '../credential.ts';
import { ServiceError } from '../errors.ts';
import { DAY_MS, type LimitOverrides } from '../limits.ts';
import { hashPassword, passwordMatches } from '../password.ts';
import type { Plan } from '../permissions.ts';
import type { Ports } from '../ports/ports.ts';
import { address, invalidArgument, line } from '../schema.ts';
import type { Owners } from '../service.ts';
import { isTimeZone } from '../time-zone.ts';
import { notFound } from './not-found.ts';

const ownerIdText = line({ min: 1, max: 255, description: '' });

const SIGN_INS_PER_ADDRESS = 10;
const SIGN_INS_PER_EMAIL = 10;
const SESSION_MS = 14 * DAY_MS;

export function createOwners({ storage, clock, random }: Ports, plan: Plan, limits: LimitOverrides): Owners {
  const tries = {
    byAddress: createAddressBudget(SIGN_INS_PER_ADDRESS),
    byEmail: createAddressBudget(SIGN_INS_PER_EMAIL),
  };
  // One check at a time: each takes 128 MB and most of a second of a core.
  let checking: Promise<unknown> = Promise.resolve();

  return {
    async create({ ownerId = Buffer.from(random(12)).toString('hex'), email, timezone = 'UTC', password }) {
      if (!ownerIdText.safeParse(ownerId).success)
        throw invalidArgument('ownerId', 'format', 'must be text, one line of 1 to 255 characters');
      if (!address.safeParse(email).success)
        throw invalidArgument('email', 'format', 'must be a bare email address');
      if (!isTimeZone(timezone))
        throw invalidArgument('timezone', 'format', 'must be an IANA name such as Europe/Berlin');
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
    throw invalidArgument('password', 'length', `must have ${PASSWORD_CHARS_MIN} to 1000 characters`);
  }
  return hashPassword(password, random);
}

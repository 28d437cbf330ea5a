import { ServiceError } from '../contract/errors.ts';
import { address, invalidArgument, line } from '../contract/schema.ts';
import { type LimitOverrides, limitProblem, PLAN_LIMITS } from '../gate/limits.ts';
import type { Plan } from '../gate/permissions.ts';
import type { ListedActivity, StoredActivity } from '../ports/activity.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { hashPassword, PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../secrets/password.ts';
import { keysSignature } from '../storage/signed-rows.ts';
import { codePoints } from '../text/code-points.ts';
import { isTimeZone } from '../time/time-zone.ts';
import { notFound } from './not-found.ts';
import { requestGist } from './request-gist.ts';
import type { OwnerFields, Owners } from './service.ts';
import { shownSources } from './shown-sources.ts';

const ownerIdText = line({ min: 1, max: 255, description: '' });

/** @param standard  the plan and the limits of new owners */
export function createOwners(
  { storage, mail, calendar, clock, random, log }: Ports,
  keyring: Keyring,
  standard: { readonly plan: Plan; readonly limits: LimitOverrides },
): Owners {
  function requestOf(ownerId: string, { approvalId }: StoredActivity, request: ListedActivity['request']) {
    if (request === null || approvalId === null) return null;
    const { sealedGist, ...known } = request;
    return { ...known, gist: requestGist(keyring, log, { ownerId, id: approvalId }, sealedGist).gist };
  }

  return {
    async create({ ownerId = Buffer.from(random(12)).toString('hex'), ...given }) {
      const { email, timezone = 'UTC', plan = standard.plan, limits = standard.limits, password } = given;
      if (!ownerIdText.safeParse(ownerId).success)
        throw invalidArgument('ownerId', 'format', 'must be one line of 1 to 255 characters');
      checkFields({ email, timezone, plan, limits });
      const passwordHash = password === undefined ? null : await newHash(password, random);
      const now = clock.now();
      const added = await storage.addOwner({
        ...{ ownerId, email, timezone, plan, limits, passwordHash, now },
        keysRecord: { signedAt: now, signature: keysSignature(ownerId, now, keyring) },
      });
      if (added) return { ownerId };
      if ((await storage.owner(ownerId)) === undefined) throw emailTaken();
      throw invalidArgument('ownerId', 'unique', 'is already the id of another owner');
    },
    byId: (ownerId) => storage.owner(ownerId),
    async byEmail(email) {
      return (await storage.ownerByEmail(email))?.owner;
    },
    async list({ after = '', limit }) {
      // One owner beyond the limit shows whether there are more.
      const owners = await storage.owners({ after, limit: limit + 1 });
      return { owners: owners.slice(0, limit), more: owners.length > limit };
    },
    async update(ownerId, { password, ...given }) {
      checkFields(given);
      const passwordHash = password === undefined ? {} : { passwordHash: await newHash(password, random) };
      const answer = await storage.updateOwner({ ownerId, ...given, ...passwordHash });
      if (answer === 'not_found') throw notFound('owner');
      if (answer === 'email_taken') throw emailTaken();
    },
    async remove(ownerId) {
      const removal = await storage.removeOwner(ownerId);
      if (removal.kind === 'not_found') throw notFound('owner');
      if (removal.kind === 'running') throw new ServiceError('busy', { details: { retry_after_s: 5 } });
      for (const accountId of removal.accountIds) {
        await mail.forget(ownerId, accountId);
        await calendar?.forget(ownerId, accountId);
      }
    },
    async setPassword(ownerId, password) {
      if (!(await storage.setPassword(ownerId, await newHash(password, random)))) throw notFound('owner');
    },
    async activity(ownerId, { until, before = until && { at: until, id: 0 }, limit, ...filter }) {
      // One row beyond the limit shows whether there are more.
      const rows = await storage.activity({ ownerId, ...filter, before, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const sourcesOf = await shownSources({ storage, log }, keyring, ownerId, shown, clock.now());
      const entries = shown.map((row) => ({
        ...row,
        request: requestOf(ownerId, row, row.request),
        sources: sourcesOf(row),
      }));
      return { entries, more: rows.length > limit };
    },
    events: (ownerId, afterId, limit) => storage.events({ ownerId, afterId, limit }),
  };
}

/** @throws ServiceError invalid_arguments naming the field */
function checkFields({ email, timezone, plan, limits }: Omit<OwnerFields, 'password'>): void {
  if (email !== undefined && !address.safeParse(email).success)
    throw invalidArgument('email', 'format', 'must be a bare email address');
  if (timezone !== undefined && !isTimeZone(timezone))
    throw invalidArgument('timezone', 'format', 'must be an IANA name such as Europe/Berlin');
  if (plan !== undefined && !Object.hasOwn(PLAN_LIMITS, plan))
    throw invalidArgument('plan', 'enum', `must be ${Object.keys(PLAN_LIMITS).join(' or ')}`);
  const wrong = limitProblem({ ...limits });
  if (wrong?.problem === 'unknown') throw invalidArgument(`limits.${wrong.name}`, 'unknown', 'is unknown');
  if (wrong !== undefined)
    throw invalidArgument(`limits.${wrong.name}`, 'range', 'must be a whole number, 0 or more');
}

function emailTaken(): ServiceError {
  return invalidArgument('email', 'unique', 'is already the email of another owner');
}

async function newHash(password: string, random: Ports['random']): Promise<string> {
  const chars = codePoints(password);
  if (chars < PASSWORD_CHARS_MIN || chars > PASSWORD_CHARS_MAX) {
    const message = `must have ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`;
    throw invalidArgument('password', 'length', message);
  }
  return hashPassword(password, random);
}

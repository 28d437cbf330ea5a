import { ServiceError } from '../contract/errors.ts';
import { invalidArgument } from '../contract/schema.ts';
import type { LimitOverrides } from '../gate/limits.ts';
import type { Plan } from '../gate/permissions.ts';
import type { ListedActivity, StoredActivity } from '../ports/activity.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { addNewOwner, checkOwnerFields, NEW_OWNER, newOwnerId, newPasswordHash } from './new-owner.ts';
import { notFound } from './not-found.ts';
import { requestGist } from './request-gist.ts';
import type { Owners } from './service.ts';
import { shownSources } from './shown-sources.ts';

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
    async create({ ownerId = newOwnerId(random), ...given }) {
      const { email, plan = standard.plan, limits = standard.limits, password } = given;
      const { timezone = NEW_OWNER.timezone, language = NEW_OWNER.language } = given;
      const { plansKeptDays = NEW_OWNER.plansKeptDays } = given;
      const owner = { ownerId, email, timezone, language, plansKeptDays, plan, limits, password };
      if (await addNewOwner({ storage, clock, random }, keyring, owner)) return { ownerId };
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
      checkOwnerFields(given);
      const passwordHash =
        password === undefined ? {} : { passwordHash: await newPasswordHash(password, random) };
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
      if (!(await storage.setPassword(ownerId, await newPasswordHash(password, random))))
        throw notFound('owner');
    },
    async accessChanges(ownerId) {
      const changes = await storage.accessChanges(ownerId);
      if (changes === undefined) throw notFound('owner');
      return changes;
    },
    confirmAccessChanges: (ownerId, until) => storage.confirmAccessChanges(ownerId, until),
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

function emailTaken(): ServiceError {
  return invalidArgument('email', 'unique', 'is already the email of another owner');
}

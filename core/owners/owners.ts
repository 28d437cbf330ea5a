import { ServiceError } from '../contract/errors.ts';
import { notFound } from '../contract/not-found.ts';
import { invalidArgument } from '../contract/schema.ts';
import type { StoredEvent } from '../events/event-storage.ts';
import type { LimitOverrides } from '../keys/limits.ts';
import type { Plan } from '../keys/permissions.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { AccessChanges } from './access-change.ts';
import { addNewOwner, checkOwnerFields, NEW_OWNER, newOwnerId, newPasswordHash } from './new-owner.ts';
import type { ProofLevel } from './owner-proof.ts';
import type { Owner } from './owner-state.ts';
import type { AlteredAccess } from './owner-storage.ts';

export interface Owners {
  /**
   * @param owner  `ownerId`: default random; `timezone`: default UTC; `plan` and `limits`: default those of the service
   * @throws ServiceError invalid_arguments, which names the field that is malformed or taken (`ownerId`, `email`)
   */
  create(owner: OwnerFields & { ownerId?: string; email: string }): Promise<{ ownerId: string }>;
  /** Undefined: there is none. */
  byId(ownerId: string): Promise<Owner | undefined>;
  /** Finds an owner by email, in upper or lower case. Undefined: there is none. */
  byEmail(email: string): Promise<Owner | undefined>;
  /** A page of all owners in the order of their ids, behind the id `after`. */
  list(page: {
    after?: string;
    limit: number;
  }): Promise<{ readonly owners: readonly Owner[]; readonly more: boolean }>;
  /**
   * Changes what is given, all of it or nothing. `limits` replaces all single limits. A `password` ends all sessions.
   * @throws ServiceError not_found, invalid_arguments as `create`
   */
  update(ownerId: string, changes: OwnerFields): Promise<void>;
  /**
   * Removes the owner with everything that is stored: accounts, keys, sign-ins, sessions, requests, trackers, webhook
   * endpoints, events and activity. Calls that run meanwhile find nothing more, and what was approved and has not
   * started does not happen.
   * @throws ServiceError not_found; busy while an action of the owner is under way: try again when it has ended
   */
  remove(ownerId: string): Promise<void>;
  /**
   * Sets the password and ends all sessions of the owner. @throws ServiceError not_found, invalid_arguments
   * (10 to 1000 characters)
   */
  setPassword(ownerId: string, password: string): Promise<void>;
  /** What of the owner's access was changed or added outside Countersign. Nobody gets in with it. */
  alteredAccess(ownerId: string): Promise<readonly AlteredAccess[]>;
  /** What happened to the owner's own access and is not confirmed. @throws ServiceError not_found */
  accessChanges(ownerId: string): Promise<AccessChanges>;
  /** Says that the owner knows of the changes up to that instant. */
  confirmAccessChanges(ownerId: string, until: Date): Promise<void>;
  /** Events after the sequence number `after`, oldest first. */
  events(ownerId: string, after: number, limit: number): Promise<readonly StoredEvent[]>;
}

/** What an app may set of an owner. */
export interface OwnerFields {
  email?: string;
  /** IANA name. */
  timezone?: string;
  /** How the dashboard writes dates: a language tag such as `de-DE`. Default of a new owner: `en-GB`. */
  language?: string;
  /** Days after its end until what a request was about is erased: 7 to 365. Default of a new owner: 30. */
  plansKeptDays?: number;
  /**
   * For which requests the owner has to prove again who they are: `every_12_hours` (none; default of a new owner),
   * `red` (those with a finding of high risk), `leaving` (also those that write to somebody) or `always`.
   */
  proofFor?: ProofLevel;
  plan?: Plan;
  /** Single limits that differ from those of the plan. */
  limits?: LimitOverrides;
  /** For the dashboard: 10 to 1000 characters. */
  password?: string;
}

/**
 * @param standard  the plan and the limits of new owners
 * @param forgetAccount  called when an account was removed
 */
export function createOwners(
  { storage, clock, random }: Pick<Ports, 'storage' | 'clock' | 'random'>,
  keyring: Keyring,
  standard: { readonly plan: Plan; readonly limits: LimitOverrides },
  forgetAccount: (ownerId: string, accountId: number) => Promise<void>,
): Owners {
  return {
    async create({ ownerId = newOwnerId(random), ...given }) {
      const { email, plan = standard.plan, limits = standard.limits, password } = given;
      const { timezone = NEW_OWNER.timezone, language = NEW_OWNER.language } = given;
      const { plansKeptDays = NEW_OWNER.plansKeptDays, proofFor = NEW_OWNER.proofFor } = given;
      const owner = { ownerId, email, timezone, language, plansKeptDays, proofFor, plan, limits, password };
      if (await addNewOwner({ storage, clock, random }, keyring, owner)) return { ownerId };
      if ((await storage.owner(ownerId)) === undefined) throw emailTaken();
      throw invalidArgument('ownerId', 'unique', 'is already the id of another owner');
    },
    byId: (ownerId) => storage.owner(ownerId),
    async byEmail(email) {
      return storage.ownerByEmail(email);
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
      const answer = await storage.updateOwner({ ownerId, ...given, ...passwordHash, signer: keyring });
      if (answer === 'not_found') throw notFound('owner');
      if (answer === 'email_taken') throw emailTaken();
    },
    async remove(ownerId) {
      const removal = await storage.removeOwner(ownerId);
      if (removal.kind === 'not_found') throw notFound('owner');
      if (removal.kind === 'running') throw new ServiceError('busy', { details: { retry_after_s: 5 } });
      for (const accountId of removal.accountIds) await forgetAccount(ownerId, accountId);
    },
    async setPassword(ownerId, password) {
      if (!(await storage.setPassword(ownerId, await newPasswordHash(password, random), keyring)))
        throw notFound('owner');
    },
    alteredAccess: (ownerId) => storage.alteredAccess(ownerId, keyring),
    async accessChanges(ownerId) {
      const changes = await storage.accessChanges(ownerId);
      if (changes === undefined) throw notFound('owner');
      return changes;
    },
    confirmAccessChanges: (ownerId, until) => storage.confirmAccessChanges(ownerId, until),
    events: (ownerId, afterId, limit) => storage.events({ ownerId, afterId, limit }),
  };
}

function emailTaken(): ServiceError {
  return invalidArgument('email', 'unique', 'is already the email of another owner');
}

import { address, invalidArgument, line } from '../contract/schema.ts';
import { type LimitOverrides, limitProblem, PLAN_LIMITS } from '../keys/limits.ts';
import type { Plan } from '../keys/permissions.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { hashPassword, PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../secrets/password.ts';
import { codePoints } from '../text/code-points.ts';
import { isDateLanguage } from '../time/date-language.ts';
import { isTimeZone } from '../time/time-zone.ts';
import { PROOF_LEVELS, type ProofLevel } from './owner-proof.ts';

interface NewOwner {
  readonly ownerId: string;
  readonly email: string;
  readonly timezone: string;
  readonly language: string;
  readonly plansKeptDays: number;
  readonly proofFor: ProofLevel;
  readonly plan: Plan;
  readonly limits: LimitOverrides;
  readonly password: string | undefined;
}

/** How many days after its end an owner may keep what a request was about. */
export const PLANS_KEPT_DAYS = { min: 7, usual: 30, max: 365 } as const;

export function isPlansKeptDays(days: number): boolean {
  return Number.isInteger(days) && days >= PLANS_KEPT_DAYS.min && days <= PLANS_KEPT_DAYS.max;
}

/** What a new owner has if nothing is given. */
export const NEW_OWNER = {
  timezone: 'UTC',
  language: 'en-GB',
  plansKeptDays: PLANS_KEPT_DAYS.usual,
  proofFor: 'every_12_hours',
} as const;

const ownerIdText = line({ min: 1, max: 255, description: '' });

/**
 * Adds an owner. @param setupHash  of the link of the first run that must be open
 * @returns whether the owner was added, as `addOwner` of the storage
 * @throws ServiceError invalid_arguments, which names the malformed field
 */
export async function addNewOwner(
  { storage, clock, random }: Pick<Ports, 'storage' | 'clock' | 'random'>,
  keyring: Keyring,
  { ownerId, password, ...fields }: NewOwner,
  setupHash?: string,
): Promise<boolean> {
  if (!ownerIdText.safeParse(ownerId).success)
    throw invalidArgument('ownerId', 'format', 'must be one line of 1 to 255 characters');
  checkOwnerFields(fields);
  const passwordHash = password === undefined ? null : await newPasswordHash(password, random);
  const now = clock.now();
  return storage.addOwner({ ownerId, ...fields, passwordHash, setupHash, signer: keyring, now });
}

export function newOwnerId(random: Ports['random']): string {
  return Buffer.from(random(12)).toString('hex');
}

/** @throws ServiceError invalid_arguments naming the field */
export function checkOwnerFields(fields: Partial<Omit<NewOwner, 'ownerId' | 'password'>>): void {
  const { email, timezone, language, plansKeptDays, proofFor, plan, limits } = fields;
  if (email !== undefined && !address.safeParse(email).success)
    throw invalidArgument('email', 'format', 'must be a bare email address');
  if (timezone !== undefined && !isTimeZone(timezone))
    throw invalidArgument('timezone', 'format', 'must be an IANA name such as Europe/Berlin');
  if (language !== undefined && !isDateLanguage(language))
    throw invalidArgument('language', 'format', 'must be a language tag such as de-DE');
  if (plansKeptDays !== undefined && !isPlansKeptDays(plansKeptDays)) {
    const { min, max } = PLANS_KEPT_DAYS;
    throw invalidArgument('plansKeptDays', 'range', `must be a whole number of days from ${min} to ${max}`);
  }
  if (proofFor !== undefined && !PROOF_LEVELS.includes(proofFor))
    throw invalidArgument('proofFor', 'enum', `must be one of ${PROOF_LEVELS.join(', ')}`);
  if (plan !== undefined && !Object.hasOwn(PLAN_LIMITS, plan))
    throw invalidArgument('plan', 'enum', `must be ${Object.keys(PLAN_LIMITS).join(' or ')}`);
  const wrong = limitProblem({ ...limits });
  if (wrong?.problem === 'unknown') throw invalidArgument(`limits.${wrong.name}`, 'unknown', 'is unknown');
  if (wrong !== undefined)
    throw invalidArgument(`limits.${wrong.name}`, 'range', 'must be a whole number, 0 or more');
}

/** @throws ServiceError invalid_arguments if it is too short or too long */
export async function newPasswordHash(password: string, random: Ports['random']): Promise<string> {
  const chars = codePoints(password);
  if (chars < PASSWORD_CHARS_MIN || chars > PASSWORD_CHARS_MAX) {
    const message = `must have ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`;
    throw invalidArgument('password', 'length', message);
  }
  return hashPassword(password, random);
}

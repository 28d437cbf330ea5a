import { address, invalidArgument, line } from '../contract/schema.ts';
import { type LimitOverrides, limitProblem, PLAN_LIMITS } from '../gate/limits.ts';
import type { Plan } from '../gate/permissions.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { hashPassword, PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../secrets/password.ts';
import { keysSignature } from '../storage/signed-rows.ts';
import { codePoints } from '../text/code-points.ts';
import { isTimeZone } from '../time/time-zone.ts';

interface NewOwner {
  readonly ownerId: string;
  readonly email: string;
  readonly timezone: string;
  readonly plan: Plan;
  readonly limits: LimitOverrides;
  readonly password: string | undefined;
}

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
  const keysRecord = { signedAt: now, signature: keysSignature(ownerId, now, keyring) };
  return storage.addOwner({ ownerId, ...fields, passwordHash, keysRecord, setupHash, now });
}

export function newOwnerId(random: Ports['random']): string {
  return Buffer.from(random(12)).toString('hex');
}

/** @throws ServiceError invalid_arguments naming the field */
export function checkOwnerFields(
  fields: Partial<Pick<NewOwner, 'email' | 'timezone' | 'plan' | 'limits'>>,
): void {
  const { email, timezone, plan, limits } = fields;
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

/** @throws ServiceError invalid_arguments if it is too short or too long */
export async function newPasswordHash(password: string, random: Ports['random']): Promise<string> {
  const chars = codePoints(password);
  if (chars < PASSWORD_CHARS_MIN || chars > PASSWORD_CHARS_MAX) {
    const message = `must have ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`;
    throw invalidArgument('password', 'length', message);
  }
  return hashPassword(password, random);
}

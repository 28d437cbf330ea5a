import { address, invalidArgument, line } from '../contract/schema.ts';
import type { LimitOverrides } from '../gate/limits.ts';
import type { Plan } from '../gate/permissions.ts';
import type { Ports } from '../ports/ports.ts';
import type { Signer } from '../secrets/keyring.ts';
import { hashPassword, PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../secrets/password.ts';
import { keysSignature } from '../storage/signed-rows.ts';
import { codePoints } from '../text/code-points.ts';
import { isTimeZone } from '../time/time-zone.ts';
import { notFound } from './not-found.ts';
import type { Owners } from './service.ts';

const ownerIdText = line({ min: 1, max: 255, description: '' });

export function createOwners(
  { storage, clock, random }: Ports,
  signer: Signer,
  plan: Plan,
  limits: LimitOverrides,
): Owners {
  return {
    async create({ ownerId = Buffer.from(random(12)).toString('hex'), email, timezone = 'UTC', password }) {
      if (!ownerIdText.safeParse(ownerId).success)
        throw invalidArgument('ownerId', 'format', 'must be one line of 1 to 255 characters');
      if (!address.safeParse(email).success)
        throw invalidArgument('email', 'format', 'must be a bare email address');
      if (!isTimeZone(timezone))
        throw invalidArgument('timezone', 'format', 'must be an IANA name such as Europe/Berlin');
      const passwordHash = password === undefined ? null : await newHash(password, random);
      const now = clock.now();
      const added = await storage.addOwner({
        ownerId,
        email,
        timezone,
        plan,
        limits,
        passwordHash,
        keysRecord: { signedAt: now, signature: keysSignature(ownerId, now, signer) },
        now,
      });
      if (!added) throw invalidArgument('email', 'unique', 'is already the email or id of another owner');
      return { ownerId };
    },
    byId: (ownerId) => storage.owner(ownerId),
    async byEmail(email) {
      return (await storage.ownerByEmail(email))?.owner;
    },
    async setPassword(ownerId, password) {
      if (!(await storage.setPassword(ownerId, await newHash(password, random)))) throw notFound('owner');
    },
    activity: (ownerId, limit) => storage.activity({ ownerId, limit }),
    list: () => storage.owners(),
    events: (ownerId, afterId, limit) => storage.events({ ownerId, afterId, limit }),
  };
}

async function newHash(password: string, random: Ports['random']): Promise<string> {
  const chars = codePoints(password);
  if (chars < PASSWORD_CHARS_MIN || chars > PASSWORD_CHARS_MAX) {
    const message = `must have ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`;
    throw invalidArgument('password', 'length', message);
  }
  return hashPassword(password, random);
}

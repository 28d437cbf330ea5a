import { createAddressBudget } from '../keys/address-budget.ts';
import { secretHash } from '../keys/credential.ts';
import type { LimitOverrides } from '../keys/limits.ts';
import type { Plan } from '../keys/permissions.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { HOUR_MS } from '../time/durations.ts';
import { addNewOwner, NEW_OWNER, newOwnerId } from './new-owner.ts';

/** The first run: while there is no owner, whoever has the newest link becomes the owner. */
export interface Setup {
  /**
   * Creates the link, for an hour. The one before ends. Only the hash of its secret is stored.
   * @returns `page`: the path of the page on the dashboard. Undefined: there is an owner
   */
  open(): Promise<{ readonly page: string; readonly expiresAt: Date } | undefined>;
  /**
   * Whether the link with this secret is open: the newest, not expired, and there is no owner.
   * @param request  `address`: the caller's
   * @throws ServiceError rate_limited after too many requests from one address
   */
  isOpen(request: { secret: string; address: string }): Promise<boolean>;
  /**
   * Creates the first owner and ends the link. Of two people with the link, one wins.
   * @param owner  `password`: 10 to 1000 characters; `timezone`: IANA name; `address` as above
   * @returns false if the link is not open
   * @throws ServiceError rate_limited as above; invalid_arguments, which names the field
   */
  complete(owner: {
    secret: string;
    address: string;
    email: string;
    password: string;
    timezone: string;
  }): Promise<boolean>;
}

export const OPEN_MS = HOUR_MS;
/** Per address group. The secret has 256 random bits: this only keeps the noise away from the store. */
const REQUESTS_A_MINUTE = 30;

/** @param standard  the plan and the limits of new owners */
export function createSetup(
  ports: Pick<Ports, 'storage' | 'clock' | 'random'>,
  keyring: Keyring,
  standard: { readonly plan: Plan; readonly limits: LimitOverrides },
): Setup {
  const { storage, clock, random } = ports;
  const budget = createAddressBudget(REQUESTS_A_MINUTE);

  async function isOpen({ secret, address }: { secret: string; address: string }): Promise<boolean> {
    const now = clock.now();
    budget.spend(address, now);
    return storage.isSetupOpen({ secretHash: secretHash(secret), now });
  }

  return {
    async open() {
      const secret = Buffer.from(random(32)).toString('base64url');
      const expiresAt = new Date(clock.now().getTime() + OPEN_MS);
      const isOpened = await storage.openSetup({ secretHash: secretHash(secret), expiresAt });
      return isOpened ? { page: `/setup/${secret}`, expiresAt } : undefined;
    },
    isOpen,
    async complete({ secret, address, ...given }) {
      // Before the costly hash of the password.
      if (!(await isOpen({ secret, address }))) return false;
      const owner = { ownerId: newOwnerId(random), ...NEW_OWNER, ...standard, ...given };
      return addNewOwner(ports, keyring, owner, secretHash(secret));
    },
  };
}

import type { LimitOverrides } from '../gate/limits.ts';
import type { Plan } from '../gate/permissions.ts';
import type { KeysRecord } from './credential-storage.ts';

/** The people whose mailboxes these are. Promises as those of Storage. */
export interface OwnerStorage {
  /** False: the ownerId or the email (case-insensitive) is taken. */
  addOwner(owner: {
    ownerId: string;
    email: string;
    timezone: string;
    plan: Plan;
    limits: LimitOverrides;
    passwordHash: string | null;
    /** The owner has no keys yet, so every later key is signed. */
    keysRecord: KeysRecord;
    now: Date;
  }): Promise<boolean>;
  owner(ownerId: string): Promise<Owner | undefined>;
  /** All owners, oldest first. For the operator. */
  owners(): Promise<readonly Owner[]>;
  ownerByEmail(
    email: string,
  ): Promise<{ readonly owner: Owner; readonly passwordHash: string | null } | undefined>;
  /** Also ends every session of the owner and forgets the owner's known devices. False: no such owner. */
  setPassword(ownerId: string, passwordHash: string): Promise<boolean>;
}

export interface Owner {
  readonly ownerId: string;
  readonly email: string;
  /** IANA name. */
  readonly timezone: string;
  readonly plan: Plan;
  readonly limits: LimitOverrides;
  readonly activeAccountId: number | null;
}

import type { Fences } from '../gate/fences.ts';
import type { Grant } from '../gate/grant.ts';
import type { Modes } from '../gate/permissions.ts';
import type { Signer } from '../secrets/keyring.ts';

/** Keys and their secrets; sign-ins are credentials too. Makes the same promises as Storage. */
export interface CredentialStorage {
  /** Undefined: the owner has a credential with this id, and nothing is added. */
  addCredential(request: {
    ownerId: string;
    credentialId: string;
    kind: 'pat';
    name: string;
    modes: Modes;
    /** Default: none. */
    fences?: Fences;
    secretHash: string;
    expiresAt: Date;
    signer: Signer;
    now: Date;
  }): Promise<Credential | undefined>;

  /**
   * Adds a secret to a key. Earlier ones end after `overlapMs`, or sooner at their own time. Undefined: no live key, an
   * altered one, or one that does not expire at `seenExpiresAt` any more, because it was rotated.
   */
  rotate(request: {
    ownerId: string;
    credentialId: string;
    secretHash: string;
    expiresAt: Date;
    overlapMs: number;
    /** Default: any. */
    seenExpiresAt?: Date | undefined;
    signer: Signer;
    now: Date;
  }): Promise<Credential | undefined>;

  /**
   * Revokes the credential and cancels its pending requests (`credential_off`). An altered credential is signed again,
   * as revoked.
   */
  revoke(request: {
    ownerId: string;
    credentialId: string;
    signer: Signer;
    now: Date;
  }): Promise<Credential | undefined>;

  /** The same for the credential with this secret, live or in its overlap. False: there is none. */
  revokeBySecret(request: { secretHash: string; signer: Signer; now: Date }): Promise<boolean>;

  /**
   * Sets the modes, raises the revision, and cancels pending requests in groups that are now off (`permission_off`).
   * Undefined: no such live credential, or it is altered.
   */
  setModes(request: {
    ownerId: string;
    credentialId: string;
    modes: Modes;
    signer: Signer;
    now: Date;
  }): Promise<Credential | undefined>;

  /**
   * Pauses the credential. Its pending requests keep waiting. Those that are approved and have not started end
   * (`credential_paused`), so what runs from now on was approved after the pause. A paused one stays unchanged.
   * Undefined: no such live credential, or it is altered.
   */
  pause(request: {
    ownerId: string;
    credentialId: string;
    signer: Signer;
    now: Date;
  }): Promise<Credential | undefined>;

  /** Ends the pause. Undefined: no such live credential, or it is altered. */
  resume(request: {
    ownerId: string;
    credentialId: string;
    signer: Signer;
    now: Date;
  }): Promise<Credential | undefined>;

  /**
   * Sets the fences and raises the revision. Requests outside them keep waiting, and cannot be approved.
   * Undefined: no such live credential, or it is altered.
   */
  setFences(request: {
    ownerId: string;
    credentialId: string;
    fences: Fences;
    signer: Signer;
    now: Date;
  }): Promise<Credential | undefined>;

  /** All credentials of the owner, newest first, including revoked ones. */
  credentials(ownerId: string, signer: Signer): Promise<readonly Credential[]>;

  /** The use of each credential that is not revoked, by its id. */
  credentialUse(ownerId: string): Promise<ReadonlyMap<string, CredentialUse>>;
}

export interface CredentialUse {
  /** When its last call ended. Null: no call is in the activity. */
  readonly lastCallAt: Date | null;
  /** How many of its requests are pending. */
  readonly waiting: number;
}

export interface Credential extends Grant {
  readonly ownerId: string;
  /** Opaque: `key_` and 16 letters or digits. */
  readonly credentialId: string;
  /** `pat`: a key. `oauth`: the sign-in of an assistant. */
  readonly kind: 'pat' | 'oauth';
  readonly name: string;
  /** Counts every change of the modes and the fences, from 1. */
  readonly revision: number;
  readonly createdAt: Date;
  /** When the newest secret ends. */
  readonly expiresAt: Date;
  /** When the previous secret ends. Null unless a rotation's overlap is still running. */
  readonly overlapUntil: Date | null;
  readonly revokedAt: Date | null;
  /** Whether its rows were changed outside Countersign. Then it counts as revoked. */
  readonly isAltered: boolean;
}

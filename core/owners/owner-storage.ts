import { hash } from 'node:crypto';
import { accounts } from '../accounts/account-state.ts';
import type { Signer } from '../secrets/keyring.ts';
import { put, remove, run, update } from '../state/change.ts';
import { all, first, select } from '../state/query.ts';
import { type StateStore, unchanged, type Verdict } from '../state/store.ts';
import type { RowOf, Table } from '../state/table.ts';
import type { AccessChanges } from './access-change.ts';
import {
  accessChangesOfOwner,
  foldedEmail,
  lastNumbersOfOwner,
  type Owner,
  ownerByEmail,
  ownerById,
  ownerCommands,
  ownerStatements,
  owners,
  ownerWithAccess,
  removedOwners,
} from './owner-state.ts';
import { changedPassword } from './password-storage.ts';
import { sessionsOfOwner } from './session-state.ts';
import {
  isPasswordIntact,
  isSecondStepIntact,
  isSessionIntact,
  signedPassword,
  signedSecondStep,
} from './signed-access.ts';

/** The columns of an owner that an owner, an app or an operator sets. */
export type OwnerSettings = Pick<
  RowOf<typeof owners>,
  'email' | 'timezone' | 'language' | 'plansKeptDays' | 'proofFor' | 'plan' | 'limits'
>;

/** What is given changes. `limits`: replaces all of them. */
export type OwnerUpdate = Partial<OwnerSettings> & {
  readonly ownerId: string;
  readonly passwordHash?: string;
};

/** What signs an owner in, and may be altered. */
export type AlteredAccess = 'password' | 'second_step' | 'session';

export type OwnerRemoval =
  | { readonly kind: 'removed'; readonly accountIds: readonly number[] }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'running' };

/** The link that creates the first owner. There is at most one, and it belongs to nobody. `addOwner` ends it. */
export interface SetupLink {
  /** SHA-256, hex. */
  readonly secretHash: string;
  readonly expiresAt: Date;
}

const accountsOfOwner = select(accounts, { by: ['ownerId'], order: ['accountId'], only: ['accountId'] });

/** The people whose mailboxes these are. */
export type OwnerStorage = ReturnType<typeof ownerStorage>;

/** @param tablesOfOwners  those with rows of owners, each before its parent */
export function ownerStorage({ unit, apply, execute, look }: StateStore, tablesOfOwners: readonly Table[]) {
  return {
    /**
     * Ends the link of the first run.
     * @param owner  `setupHash`: the hash of the link that must be open (`isSetupOpen`); of two requests with it, one adds
     *   its owner. Default: no link is needed
     * @returns false if the ownerId or the email (case-insensitive) is taken, or the link is not open
     */
    async addOwner(
      owner: OwnerSettings & {
        readonly ownerId: string;
        readonly passwordHash: string | null;
        readonly setupHash?: string | undefined;
        readonly signer: Signer;
        readonly now: Date;
      },
    ): Promise<boolean> {
      const { ownerId, passwordHash, now, setupHash = null, signer, ...settings } = owner;
      const emailFolded = foldedEmail(owner.email);
      const added = {
        ownerId,
        ...settings,
        ...signedPassword(ownerId, passwordHash, signer),
        secondStepSignature: signedSecondStep(ownerId, null, signer).secondStepSignature,
        emailFolded,
        createdAt: now,
        ownerHash: ownerHash(ownerId),
        setupHash,
      };
      const [count] = await execute([run(ownerCommands.add_owner, added), run(ownerCommands.end_setup, {})]);
      return count === 1;
    },

    /** Stores the link in place of the one before. False: there is an owner, so there is no link. */
    async openSetup(link: SetupLink): Promise<boolean> {
      const [count] = await execute([run(ownerCommands.open_setup, link)]);
      return count === 1;
    },

    /** Whether this is the link, it has not expired, and there is no owner. */
    async isSetupOpen(query: { secretHash: string; now: Date }): Promise<boolean> {
      return (await look({ link: first(ownerStatements.open_setup_link, query) })).link !== undefined;
    },

    async owner(ownerId: string): Promise<Owner | undefined> {
      return (await look({ owner: first(ownerById, { ownerId }) })).owner;
    },

    /** At most `limit` owners in the order of their ids (by their bytes in UTF-8), after the id `after`; '' starts. */
    async owners(page: { after: string; limit: number }): Promise<readonly Owner[]> {
      return (await look({ found: all(ownerStatements.owners_after, page) })).found;
    },

    async ownerByEmail(email: string): Promise<Owner | undefined> {
      return (await look({ owner: first(ownerByEmail, { emailFolded: foldedEmail(email) }) })).owner;
    },

    /** Changes what is given. A `passwordHash` has the effect of `setPassword`. Nothing changes if the email is taken. */
    updateOwner: (
      change: OwnerUpdate & { readonly signer: Signer },
    ): Promise<'updated' | 'not_found' | 'email_taken'> => {
      const { ownerId, email } = change;
      const facts = {
        owner: first(ownerWithAccess, { ownerId }),
        sessions: all(sessionsOfOwner, { ownerId }),
        // Of nobody, if the email stays.
        holders: all(ownerByEmail, { emailFolded: email === undefined ? '' : foldedEmail(email) }),
      };
      return unit('durable', { ownerId }, facts, ({ owner, sessions, holders }, storeNowMs) => {
        if (owner === undefined) return unchanged('not_found');
        if (holders.some((one) => one.ownerId !== ownerId)) return unchanged('email_taken');
        const { passwordHash, ownerId: _id, signer, ...given } = change;
        const { email: kept } = owner;
        const settings = { email: kept, emailFolded: foldedEmail(email ?? kept), ...given };
        const password =
          passwordHash === undefined
            ? []
            : changedPassword(owner, sessions, passwordHash, signer, storeNowMs);
        return { answer: 'updated', changes: [update(owners, { ownerId }, settings), ...password] };
      });
    },

    /** What of the owner's access was changed or added outside Countersign. Nobody gets in with it. */
    async alteredAccess(ownerId: string, signer: Signer): Promise<readonly AlteredAccess[]> {
      const { owner, sessions } = await look({
        owner: first(ownerWithAccess, { ownerId }),
        sessions: all(sessionsOfOwner, { ownerId }),
      });
      if (owner === undefined) return [];
      return [
        ...(isPasswordIntact(owner, signer) ? [] : ['password' as const]),
        ...(isSecondStepIntact(owner, signer) ? [] : ['second_step' as const]),
        ...(sessions.every((session) => isSessionIntact(session, signer)) ? [] : ['session' as const]),
      ];
    },

    /** What happened to the owner's own access and is not confirmed. Undefined: no such owner. */
    async accessChanges(ownerId: string): Promise<AccessChanges | undefined> {
      const { owner } = await look({ owner: first(accessChangesOfOwner, { ownerId }) });
      return (
        owner && {
          password: owner.passwordChangedAt,
          second_step: owner.secondStepChangedAt,
          recovery_code: owner.recoveryCodeUsedAt,
        }
      );
    },

    /** The owner knows of everything up to that instant. A notice that is due is still sent. */
    confirmAccessChanges: (ownerId: string, until: Date): Promise<void> =>
      apply(ownerId, [run(ownerCommands.confirm_access_changes, { ownerId, until })]),

    /**
     * Removes the owner and every row of the owner. Only the hash of the id stays, with the last numbers of accounts and
     * endpoints: a later owner with the same id continues them, so that no process takes one account for another.
     * `running`: an action of the owner has started and not ended, so nothing is removed: its end must still be recorded.
     */
    removeOwner: (ownerId: string): Promise<OwnerRemoval> => {
      const facts = {
        owner: first(lastNumbersOfOwner, { ownerId }),
        accounts: all(accountsOfOwner, { ownerId }),
        running: first(ownerStatements.running_of_owner, { ownerId }),
      };
      return unit('durable', { ownerId }, facts, (found): Verdict<OwnerRemoval> => {
        if (found.owner === undefined) return unchanged({ kind: 'not_found' });
        if (found.running !== undefined) return unchanged({ kind: 'running' });
        return {
          answer: { kind: 'removed', accountIds: found.accounts.map(({ accountId }) => accountId) },
          changes: [
            ...tablesOfOwners.map((table) => remove(table, { ownerId })),
            put(removedOwners, { ownerHash: ownerHash(ownerId), ...found.owner }),
          ],
        };
      });
    },
  };
}

/** What is kept of the id of a removed owner: its SHA-256, hex. */
function ownerHash(ownerId: string): string {
  return hash('sha256', ownerId);
}

import type { Signer } from '../secrets/keyring.ts';
import { put, type RowChange, remove, update } from '../state/change.ts';
import { all, first } from '../state/query.ts';
import { type StateStore, unchanged, type Verdict } from '../state/store.ts';
import type { RowOf } from '../state/table.ts';
import { notedAccessChange } from './access-change-state.ts';
import {
  foldedEmail,
  type Owner,
  type OwnerWithAccess,
  ownerIn,
  owners,
  ownerWithAccess,
  ownerWithAccessByEmail,
} from './owner-state.ts';
import {
  type Device,
  devices,
  devicesOfOwner,
  passwordStatements,
  passwordTries,
  triesInRows,
} from './password-state.ts';
import {
  DEVICES_KEPT,
  giveTryBack,
  judgePasswordTry,
  type PasswordTryFacts,
  type TriesChange,
  type TriesCounter,
} from './password-tries.ts';
import { forgetTries } from './second-step.ts';
import { type SessionRow, sessionsOfOwner } from './session-state.ts';
import { ended } from './session-storage.ts';
import { isPasswordIntact, isSecondStepIntact, signedPassword, signedSecondStep } from './signed-access.ts';

/** Whose password is checked. */
export interface OwnerToCheck {
  readonly owner: Owner;
  /** Null: the owner has no password, or nobody can sign in with it (`isAltered`). */
  readonly passwordHash: string | null;
  /** Whether the password or the second step was changed outside Countersign. */
  readonly isAltered: boolean;
  /** Whether signing in takes more than the password. */
  readonly hasSecondStep: boolean;
}

/**
 * The numbers of the rows that count tries from unknown devices. They come from a fixed range, so that nobody can fill
 * the table. Two emails or two addresses may share a row.
 */
export type TriesRows = Readonly<Record<Exclude<TriesCounter, 'device'>, number>>;

interface Try {
  /** In upper or lower case. */
  email: string;
  rows: TriesRows;
  deviceHash: string | null;
  signer: Signer;
  now: Date;
}

interface Match {
  ownerId: string;
  passwordHash: string;
  rows: TriesRows;
  counted: readonly TriesCounter[];
  deviceHash: string;
  signer: Signer;
  now: Date;
}

/** Passwords, tries at them, and known devices. */
export type PasswordStorage = ReturnType<typeof passwordStorage>;

export function passwordStorage({ unit }: StateStore) {
  return {
    /**
     * Also ends every session of the owner, and forgets the known devices and the wrong codes of the second step. A password
     * that was changed outside Countersign is replaced too. False: no such owner.
     */
    setPassword: (ownerId: string, passwordHash: string, signer: Signer): Promise<boolean> => {
      const facts = {
        owner: first(ownerWithAccess, { ownerId }),
        sessions: all(sessionsOfOwner, { ownerId }),
      };
      return unit('durable', { ownerId }, facts, ({ owner, sessions }, storeNowMs) =>
        owner === undefined
          ? unchanged(false)
          : { answer: true, changes: changedPassword(owner, sessions, passwordHash, signer, storeNowMs) },
      );
    },

    /**
     * Decides about one try at a password (`judgePasswordTry`) and counts it as failed, in one unit. Does the same
     * work whether or not an owner has the email.
     * @returns `check`: the password may be checked; `found` is undefined if no owner has the email, `isKnownDevice`
     *   tells whether `deviceHash` is one of the owner's devices
     */
    takePasswordTry: (request: Try): Promise<TryEnd> => {
      const { rows } = request;
      const emailFolded = foldedEmail(request.email);
      const facts = {
        owner: first(ownerWithAccessByEmail, { emailFolded }),
        devices: all(passwordStatements.devices_by_email, { emailFolded }),
        tries: all(triesInRows, { rowNumberList: Object.values(rows) }),
      };
      return unit('relaxed', { numbers: numbersOf(rows), ownerId: null }, facts, (found) =>
        takePasswordTry(triesFacts(found, request), request),
      );
    },

    /**
     * Takes back one counted failure of a try whose password was correct (`giveTryBack`). Makes the device the owner's
     * newest one if the owner has no second step; otherwise `takeSecondStep` does. The owner keeps the newest
     * `DEVICES_KEPT`.
     * @returns false, with no change, if the password hash has changed since
     */
    passwordMatched: (request: Match): Promise<boolean> => {
      const { ownerId, rows } = request;
      const facts = {
        owner: first(ownerWithAccess, { ownerId }),
        devices: all(devicesOfOwner, { ownerId }),
        tries: all(triesInRows, { rowNumberList: Object.values(rows) }),
      };
      return unit('relaxed', { numbers: numbersOf(rows), ownerId }, facts, (found) =>
        passwordMatched(triesFacts(found, request), request),
      );
    },
  };
}

/** What a new password changes: it also ends every session, and forgets the known devices and the wrong codes. */
export function changedPassword(
  owner: OwnerWithAccess,
  sessions: readonly SessionRow[],
  passwordHash: string,
  signer: Signer,
  storeNowMs: number,
): readonly RowChange[] {
  const { ownerId, secondStep } = owner;
  // Signing an altered one again would make a change from outside look like the owner's.
  const hasTries = secondStep !== null && isSecondStepIntact(owner, signer);
  const columns = {
    ...signedPassword(ownerId, passwordHash, signer),
    ...(hasTries ? signedSecondStep(ownerId, forgetTries(secondStep), signer) : {}),
  };
  return [
    ...sessions.map(ended),
    remove(devices, { ownerId }),
    update(owners, { ownerId }, columns),
    // The first password changes nothing.
    ...(owner.passwordHash === null ? [] : [notedAccessChange(ownerId, 'password', storeNowMs)]),
  ];
}

type TryEnd =
  | { readonly kind: 'wait'; readonly waitMs: number }
  | {
      readonly kind: 'check';
      readonly counted: readonly TriesCounter[];
      readonly isKnownDevice: boolean;
      readonly found: OwnerToCheck | undefined;
    };

interface TriesFacts {
  /** Undefined: no owner has the email. */
  readonly found: OwnerToCheck | undefined;
  readonly tries: Omit<PasswordTryFacts, 'device'>;
  readonly devices: readonly Device[];
}

/** The locks of two rows cover all three: those of an email go together. The address comes first. */
function numbersOf({ address, newcomers }: TriesRows): readonly [number, number] {
  return [address, newcomers];
}

function triesFacts(
  found: {
    readonly owner: OwnerWithAccess | undefined;
    readonly devices: readonly Device[];
    readonly tries: readonly Omit<RowOf<typeof passwordTries>, 'forgottenMs'>[];
  },
  { rows, signer }: { readonly rows: TriesRows; readonly signer: Signer },
): TriesFacts {
  const triesOf = (counter: keyof TriesRows) =>
    found.tries.find(({ rowNumber }) => rowNumber === rows[counter]);
  return {
    found: found.owner && ownerToCheck(found.owner, signer),
    tries: { address: triesOf('address'), newcomers: triesOf('newcomers'), repeaters: triesOf('repeaters') },
    devices: found.devices,
  };
}

function ownerToCheck(row: OwnerWithAccess, signer: Signer): OwnerToCheck {
  const isAltered = !isPasswordIntact(row, signer) || !isSecondStepIntact(row, signer);
  return {
    owner: ownerIn(row),
    passwordHash: isAltered ? null : row.passwordHash,
    isAltered,
    hasSecondStep: row.secondStep !== null,
  };
}

/** Decides about one try at a password, and counts it as failed. */
function takePasswordTry(facts: TriesFacts, { rows, deviceHash, now }: Try): Verdict<TryEnd> {
  const device = deviceOf(facts, deviceHash);
  const { waitMs, counted, changes } = judgePasswordTry({ ...facts.tries, device }, now);
  const saved = changes.flatMap((change) => savedTries(change, facts, rows, device));
  if (waitMs > 0) return { answer: { kind: 'wait', waitMs }, changes: saved };
  const isKnownDevice = device !== undefined;
  return { answer: { kind: 'check', counted, isKnownDevice, found: facts.found }, changes: saved };
}

/** Makes the device the owner's newest, unless a second step follows: only that shows whose device it is. */
function passwordMatched(facts: TriesFacts, request: Match): Verdict<boolean> {
  const { ownerId, passwordHash, rows, counted, deviceHash, now } = request;
  if (facts.found?.passwordHash !== passwordHash) return unchanged(false);
  const known = deviceOf(facts, deviceHash);
  const before: PasswordTryFacts = { ...facts.tries, device: known };
  const givenBack = counted.flatMap((counter) => {
    const tries = before[counter];
    return tries === undefined ? [] : [giveTryBack(counter, tries)];
  });
  const { failures, lastMs } = givenBack.find(({ counter }) => counter === 'device') ??
    known ?? { failures: 0, lastMs: 0 };
  const counts = { failures, lastMs };
  const kept = known === undefined ? [] : [savedDevice(ownerId, { ...known, ...counts })];
  return {
    answer: true,
    changes: [
      ...givenBack
        .filter(({ counter }) => counter !== 'device')
        .flatMap((change) => savedTries(change, facts, rows, known)),
      ...(facts.found.hasSecondStep
        ? kept
        : newestDevice(facts.devices, ownerId, { deviceHash, lastSignInMs: now.getTime(), ...counts })),
    ],
  };
}

/** Adds a device, or renews it, and forgets those that signed in longest ago if there are too many. */
export function newestDevice(
  known: readonly Device[],
  ownerId: string,
  device: Device,
): readonly RowChange[] {
  const others = known
    .filter(({ deviceHash }) => deviceHash !== device.deviceHash)
    .toSorted((a, b) => b.lastSignInMs - a.lastSignInMs || (a.deviceHash < b.deviceHash ? -1 : 1));
  return [
    put(devices, { ownerId, ...device }),
    ...others.slice(DEVICES_KEPT - 1).map(({ deviceHash }) => remove(devices, { ownerId, deviceHash })),
  ];
}

/** Does nothing if the device is forgotten. */
export function savedDevice(ownerId: string, { deviceHash, ...device }: Device): RowChange {
  return update(devices, { ownerId, deviceHash }, device);
}

function deviceOf({ devices: known }: TriesFacts, deviceHash: string | null): Device | undefined {
  return known.find((one) => one.deviceHash === deviceHash);
}

function savedTries(
  { counter, failures, lastMs, forgottenMs }: TriesChange,
  { found }: TriesFacts,
  rows: TriesRows,
  device: Device | undefined,
): readonly RowChange[] {
  if (counter !== 'device') {
    const rowNumber = rows[counter];
    if (failures === 0) return [remove(passwordTries, { rowNumber })];
    return [put(passwordTries, { rowNumber, failures, lastMs, forgottenMs })];
  }
  if (found === undefined || device === undefined) return [];
  return [savedDevice(found.owner.ownerId, { ...device, failures, lastMs })];
}

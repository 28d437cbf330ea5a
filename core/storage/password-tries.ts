import {
  DEVICES_KEPT,
  giveTryBack,
  judgePasswordTry,
  type PasswordTryFacts,
  type TriesChange,
} from '../gate/password-tries.ts';
import type { TriesRows } from '../ports/password-storage.ts';
import type { Storage } from '../ports/storage.ts';
import type { AnyChange, Judged, StoredDevice, TriesFacts } from '../ports/store.ts';

type Try = Parameters<Storage['takePasswordTry']>[0];
type Match = Parameters<Storage['passwordMatched']>[0];

/** Decides about one try at a password, and counts it as failed. */
export function takePasswordTry(
  facts: TriesFacts,
  { rows, deviceHash, now }: Try,
): Judged<Awaited<ReturnType<Storage['takePasswordTry']>>> {
  const device = deviceOf(facts, deviceHash);
  const { waitMs, counted, changes } = judgePasswordTry({ ...facts.tries, device }, now);
  const saved = changes.flatMap((change) => savedTries(change, facts, rows, device));
  if (waitMs > 0) return { answer: { kind: 'wait', waitMs }, changes: saved };
  const isKnownDevice = device !== undefined;
  return { answer: { kind: 'check', counted, isKnownDevice, found: facts.found }, changes: saved };
}

/**
 * Takes back one counted failure of a try whose password was correct. Makes the device the owner's newest, unless a second
 * step follows: only that shows whose device it is.
 */
export function passwordMatched(
  facts: TriesFacts,
  { ownerId, passwordHash, rows, counted, deviceHash, now }: Match,
): Judged<boolean> {
  if (facts.found?.passwordHash !== passwordHash) return { answer: false, changes: [] };
  const known = deviceOf(facts, deviceHash);
  const before: PasswordTryFacts = { ...facts.tries, device: known };
  const givenBack = counted.flatMap((counter) => {
    const tries = before[counter];
    return tries === undefined ? [] : [giveTryBack(counter, tries)];
  });
  const { failures, lastMs } = givenBack.find(({ counter }) => counter === 'device') ??
    known ?? { failures: 0, lastMs: 0 };
  const counts = { failures, lastMs };
  const kept: readonly AnyChange[] =
    known === undefined ? [] : [{ type: 'save_device', ownerId, device: { ...known, ...counts } }];
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

/** Adds a device, or renews it, and forgets the one that signed in longest ago if there are too many. */
export function newestDevice(
  devices: readonly StoredDevice[],
  ownerId: string,
  device: StoredDevice,
): readonly AnyChange[] {
  const others = devices.filter(({ deviceHash }) => deviceHash !== device.deviceHash);
  return [
    { type: 'add_device', ownerId, device },
    ...others
      .slice(DEVICES_KEPT - 1)
      .map(({ deviceHash }): AnyChange => ({ type: 'forget_device', ownerId, deviceHash })),
  ];
}

function deviceOf({ devices }: TriesFacts, deviceHash: string | null): StoredDevice | undefined {
  return devices.find((one) => one.deviceHash === deviceHash);
}

function savedTries(
  { counter, failures, lastMs, forgottenMs }: TriesChange,
  { found }: TriesFacts,
  rows: TriesRows,
  device: StoredDevice | undefined,
): AnyChange[] {
  if (counter !== 'device') {
    const tries = failures === 0 ? null : { failures, lastMs, forgottenMs };
    return [{ type: 'save_tries', row: rows[counter], tries }];
  }
  if (found === undefined || device === undefined) return [];
  const { ownerId } = found.owner;
  return [{ type: 'save_device', ownerId, device: { ...device, failures, lastMs } }];
}

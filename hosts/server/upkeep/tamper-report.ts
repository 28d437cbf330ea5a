import { broken, type Finding, good, lacking } from '../../../adapters/imap/report.ts';
import { type ActivityFault, checkActivity } from '../../../core/activity/check-activity.ts';
import type { Owner } from '../../../core/owners/owner-state.ts';
import type { AlteredAccess } from '../../../core/owners/owner-storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { Signer } from '../../../core/secrets/keyring.ts';
import { HOUR_MS, MINUTE_MS } from '../../../core/time/durations.ts';

/** Of one kind; the rest are counted. */
const HOURS_NAMED = 10;
/** A running server covers new activity within seconds. */
const UNCOVERED_MS = 15 * MINUTE_MS;

export interface OwnerReport {
  readonly owner: string;
  readonly sign_in: readonly Finding[];
  readonly keys: readonly Finding[];
  readonly requests: readonly Finding[];
  readonly activity: readonly Finding[];
}

/** Checks whether somebody changed an owner's sign-in, keys, decisions or activity in the database. Changes nothing. */
export async function checkOwner(
  storage: Storage,
  signer: Signer,
  { ownerId, email }: Pick<Owner, 'ownerId' | 'email'>,
  now: Date,
): Promise<OwnerReport> {
  return {
    owner: email,
    sign_in: await readable('sign_in', () => checkSignIn(storage, signer, { ownerId, email })),
    keys: await readable('keys', () => checkKeys(storage, signer, ownerId)),
    requests: await readable('requests', () => checkDecisions(storage, signer, ownerId)),
    activity: await readable('activity', () => checkRows(storage, signer, ownerId, now)),
  };
}

/** A row with values that no version writes cannot be read. */
async function readable(check: string, look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [broken(check, `They cannot be read, so they were changed outside Countersign: ${error.message}`)];
  }
}

async function checkSignIn(
  storage: Storage,
  signer: Signer,
  { ownerId, email }: Pick<Owner, 'ownerId' | 'email'>,
): Promise<readonly Finding[]> {
  const altered = await storage.alteredAccess(ownerId, signer);
  if (altered.length === 0)
    return [good('sign_in', 'The password, the second step and the sessions are as Countersign wrote them.')];
  return altered.map((what) => broken('sign_in', ALTERED_ACCESS[what](email)));
}

const OUTSIDE = 'was changed outside Countersign, or signed with a secret key that is missing here';

const ALTERED_ACCESS: Record<AlteredAccess, (email: string) => string> = {
  password: (email) =>
    `The password ${OUTSIDE}. Nobody can sign in with it. Set a new one: countersign owner password ${email}`,
  second_step: (email) =>
    `The second step ${OUTSIDE}. Nobody can sign in with the password or with a passkey. ` +
    `Remove it: countersign owner second-step-off ${email}`,
  session: (email) =>
    `A session ${OUTSIDE}. It opens nothing. End it in the settings of the dashboard, ` +
    `or end all sessions: countersign owner password ${email}`,
};

async function checkKeys(storage: Storage, signer: Signer, ownerId: string): Promise<readonly Finding[]> {
  const keys = await storage.credentials(ownerId, signer);
  const altered = keys.filter(({ isAltered }) => isAltered);
  if (altered.length === 0) {
    if (keys.length === 0) return [good('keys', 'There are no keys.')];
    const count = keys.length === 1 ? 'The key is' : `All ${keys.length} keys are`;
    return [good('keys', `${count} as Countersign wrote ${keys.length === 1 ? 'it' : 'them'}.`)];
  }
  return altered.map(({ name, credentialId }) =>
    broken(
      'keys',
      `The key "${name}" (${credentialId}) was changed outside Countersign, and no longer works. ` +
        'Revoke it and create a new one.',
    ),
  );
}

async function checkDecisions(
  storage: Storage,
  signer: Signer,
  ownerId: string,
): Promise<readonly Finding[]> {
  const altered = await storage.alteredDecisions(ownerId, signer);
  if (altered.length === 0) return [good('requests', 'No approval was changed outside Countersign.')];
  return altered.map((id) =>
    broken('requests', `The request ${id} was approved outside Countersign. It will not be carried out.`),
  );
}

async function checkRows(
  storage: Storage,
  signer: Signer,
  ownerId: string,
  now: Date,
): Promise<readonly Finding[]> {
  const { checkpoints, intact, faults, uncovered } = await checkActivity(storage, ownerId, signer, now);
  const found = FAULTS.flatMap(({ kind, finding }) => {
    const hours = faults.filter((fault) => fault.kind === kind).map(({ hour }) => hour);
    return hours.length === 0 ? [] : [finding(hoursInWords(hours))];
  });
  const rows = `${intact} rows in ${checkpoints} checkpoints are as Countersign wrote them.`;
  return [
    ...(found.some(({ state }) => state === 'broken') ? [] : [good('activity', rows)]),
    ...found,
    ...newest(uncovered, now),
  ];
}

const FAULTS: readonly {
  readonly kind: ActivityFault['kind'];
  readonly finding: (hours: string) => Finding;
}[] = [
  {
    kind: 'rows',
    finding: (hours) =>
      broken('activity', `Activity was changed, deleted or inserted outside Countersign: ${hours}.`),
  },
  {
    kind: 'checkpoint',
    finding: (hours) =>
      broken('activity', `Checkpoints of the activity were changed outside Countersign: ${hours}.`),
  },
  {
    kind: 'missing',
    finding: (hours) => broken('activity', `Activity and its checkpoints are missing before ${hours}.`),
  },
  {
    kind: 'late',
    finding: (hours) =>
      lacking(
        'activity',
        `Activity was covered by a checkpoint only long after it was written: ${hours}. That is so after a crash. ` +
          'A change made before that does not show.',
      ),
  },
];

function newest(
  { count, oldest }: { count: number; oldest: Date | undefined },
  now: Date,
): readonly Finding[] {
  if (oldest === undefined) return [];
  const rows = count === 1 ? '1 row is' : `${count} rows are`;
  const text = `The newest ${rows} not covered by a checkpoint yet, the oldest from ${minute(oldest)}.`;
  if (now.getTime() - oldest.getTime() < UNCOVERED_MS) return [good('activity', text)];
  return [lacking('activity', `${text} A running server covers them: countersign serve`)];
}

function hoursInWords(hours: readonly Date[]): string {
  const named = hours.slice(0, HOURS_NAMED).map(hourInWords).join(', ');
  return hours.length <= HOURS_NAMED ? named : `${named} and ${hours.length - HOURS_NAMED} more hours`;
}

function hourInWords(hour: Date): string {
  const end = new Date(hour.getTime() + HOUR_MS).toISOString().slice(11, 16);
  return `${hour.toISOString().slice(0, 10)} ${hour.toISOString().slice(11, 16)} to ${end} UTC`;
}

function minute(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

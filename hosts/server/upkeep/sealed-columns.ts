import { checkpoints } from '../../../core/activity/activity-state.ts';
import { isCheckpointIntact, signedCheckpoint } from '../../../core/activity/checkpoints.ts';
import { approvals } from '../../../core/approvals/approval-state.ts';
import { isDecisionIntact, signedDecision } from '../../../core/approvals/signed-decision.ts';
import { credentials, secrets } from '../../../core/keys/key-state.ts';
import {
  isCredentialIntact,
  isSecretIntact,
  signedCredential,
  signedSecret,
} from '../../../core/keys/signed-rows.ts';
import { owners } from '../../../core/owners/owner-state.ts';
import { sessions } from '../../../core/owners/session-state.ts';
import {
  isPasswordIntact,
  isSecondStepIntact,
  isSessionIntact,
  signedPassword,
  signedSecondStep,
  signedSession,
} from '../../../core/owners/signed-access.ts';
import type { Keyring } from '../../../core/secrets/keyring.ts';
import { STORED } from '../../../core/secrets/stored-purposes.ts';
import { TABLES } from '../../../core/service/all-tables.ts';
import type { Sealing } from '../../../core/state/column.ts';
import { type DriverRow, readRow, unknownValue } from '../../../core/state/query.ts';
import { contextText, sealingOf } from '../../../core/state/sealing.ts';
import { columnName, type RowOf, type Table } from '../../../core/state/table.ts';

/** A column whose values a secret key sealed or signed. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The columns of the table's primary key. */
  readonly key: readonly string[];
  /** Finds the sealed text in a value. Null: none. Without it, the value is the sealed text. */
  readonly sealedIn?: (value: string) => string | null;
  /**
   * Returns the value with the writing key.
   * @param row  all columns; this one is not NULL
   * @throws Error if the value was changed outside Countersign, or its key is not in the ring
   */
  readonly renewed: (row: DriverRow, keyring: Keyring) => string | null;
}

const SECOND_STEP = owners.columns.secondStep;

/** The sealed text in a value of the column. Null: none. */
export function sealedTextIn({ sealedIn }: SealedColumn, value: string): string | null {
  return sealedIn === undefined ? value : sealedIn(value);
}

/**
 * Every column with values that need a secret key: those that core describes as sealed, those that it signs, and one with a
 * sealed part. A backup checks the keys of these columns, and `countersign secrets rotate` renews them. A signature is only
 * renewed if the row is as Countersign wrote it.
 *
 * Some values that need a key are not stored in columns of their own, or cannot be renewed:
 * - Ids of messages of the form before handles, also in activity, events and results: agents keep them. The activity's
 *   checkpoints cover its rows.
 * - Hashes of what calls showed (`reads.hashes`, `reads.phrases`): they are compared under every key, and kept for a day.
 * - Registrations of assistants, device cookies, forms and tickets: their holders keep them.
 * - Codes of new notice channels and the counters of password tries: they last minutes, or begin again.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'owners',
    column: 'second_step',
    key: ['owner_id'],
    sealedIn: (value) => SECOND_STEP.read(value)?.app?.sealedSecret ?? null,
    renewed(row, keyring) {
      const value = textIn(row, 'second_step');
      const stored = SECOND_STEP.read(value);
      if (stored === null || stored.app === null) return value;
      const sealedSecret = resealed(keyring, STORED.totp, textIn(row, 'owner_id'), stored.app.sealedSecret);
      return String(SECOND_STEP.write({ ...stored, app: { ...stored.app, sealedSecret } }));
    },
  },
  signed(owners, 'passwordSignature', isPasswordIntact, ({ ownerId, passwordHash }, keyring) =>
    signedPassword(ownerId, passwordHash, keyring),
  ),
  signed(owners, 'secondStepSignature', isSecondStepIntact, ({ ownerId, secondStep }, keyring) =>
    signedSecondStep(ownerId, secondStep, keyring),
  ),
  signed(sessions, 'signature', isSessionIntact, signedSession),
  signed(credentials, 'signature', isCredentialIntact, signedCredential),
  signed(secrets, 'signature', isSecretIntact, signedSecret),
  signed(checkpoints, 'signature', isCheckpointIntact, signedCheckpoint),
  signed(approvals, 'decisionSignature', isDecisionIntact, signedDecision),
  ...TABLES.flatMap((table) =>
    Object.keys(table.columns).flatMap((property) => {
      const sealing = sealingOf(table, property);
      return sealing === undefined ? [] : [sealed(table, property, sealing)];
    }),
  ),
];

/** A column that core described as sealed. */
function sealed(table: Table, property: string, { purpose, context }: Sealing): SealedColumn {
  const named = (properties: readonly string[]) => properties.map((one) => columnName(table, one));
  const [column, bound] = [columnName(table, property), named(context)];
  return {
    table: table.name,
    column,
    key: named(table.key),
    renewed: (row, keyring) => resealed(keyring, purpose, contextText(bound, row), textIn(row, column)),
  };
}

/** A column that core signs. @param sign  returns the columns that it signed, with this one */
function signed<Of extends Table, Property extends keyof Of['columns'] & string>(
  table: Of,
  property: Property,
  isIntact: (row: RowOf<Of>, keyring: Keyring) => boolean,
  sign: (row: RowOf<Of>, keyring: Keyring) => Readonly<Record<Property, string>>,
): SealedColumn {
  return {
    table: table.name,
    column: columnName(table, property),
    key: table.key.map((one) => columnName(table, one)),
    renewed(row, keyring) {
      const stored = readRow(table, row);
      if (!isIntact(stored, keyring)) throw altered();
      return sign(stored, keyring)[property];
    },
  };
}

/** @throws Error if the column has no text */
export function textIn(row: DriverRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw unknownValue(column);
  return value;
}

function resealed(keyring: Keyring, purpose: string, context: string, value: string): string {
  return keyring.seal(purpose, context, keyring.open(purpose, context, value));
}

function altered(): Error {
  return new Error('the row was changed outside Countersign');
}

import { readCheckpoint } from '../../../adapters/sql/checkpoint.ts';
import { readCredential, readSecret } from '../../../adapters/sql/credential.ts';
import { readKeysRecord } from '../../../adapters/sql/owner.ts';
import { type Row, text } from '../../../adapters/sql/row.ts';
import { readSecondStep, secondStepText } from '../../../adapters/sql/second-step.ts';
import type { Keyring } from '../../../core/secrets/keyring.ts';
import { STORED } from '../../../core/secrets/stored-purposes.ts';
import { isCheckpointIntact, signedCheckpoint } from '../../../core/storage/checkpoints.ts';
import {
  isCredentialIntact,
  isKeysRecordIntact,
  isSecretIntact,
  keysSignature,
  signedCredential,
  signedSecret,
} from '../../../core/storage/signed-rows.ts';

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
  readonly renewed: (row: Row, keyring: Keyring) => string | null;
}

/** The sealed text in a value of the column. Null: none. */
export function sealedTextIn({ sealedIn }: SealedColumn, value: string): string | null {
  return sealedIn === undefined ? value : sealedIn(value);
}

const OF_APPROVAL = ['owner_id', 'approval_id'];

/**
 * Every column with values that need a secret key. A new one goes in here: a backup checks the keys of these columns, and
 * `countersign secrets rotate` renews them. A signature is only renewed if the row is as Countersign wrote it.
 *
 * Some values that need a key are not stored in columns of their own, or cannot be renewed:
 * - Ids of messages, also in activity, events and results: agents keep them. The activity's checkpoints cover its rows.
 * - Hashes of what calls showed (`reads.hashes`, `reads.phrases`): they are compared under every key, and kept for a day.
 * - Registrations of assistants, device cookies, forms and tickets: their holders keep them.
 * - Codes of new notice channels and the counters of password tries: they last minutes, or begin again.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'owners',
    column: 'second_step',
    key: ['owner_id'],
    sealedIn: (value) => readSecondStep({ second_step: value })?.app?.sealedSecret ?? null,
    renewed(row, keyring) {
      const stored = readSecondStep(row);
      if (stored === null || stored.app === null) return text(row, 'second_step');
      const sealedSecret = resealed(keyring, STORED.totp, text(row, 'owner_id'), stored.app.sealedSecret);
      return secondStepText({ ...stored, app: { ...stored.app, sealedSecret } });
    },
  },
  {
    table: 'owners',
    column: 'keys_signature',
    key: ['owner_id'],
    renewed(row, keyring) {
      const [ownerId, record] = [text(row, 'owner_id'), readKeysRecord(row)];
      if (record === undefined || !isKeysRecordIntact(ownerId, record, keyring)) throw altered();
      return keysSignature(ownerId, record.signedAt, keyring);
    },
  },
  sealed('accounts', 'sealed_settings', ['owner_id', 'account_id'], STORED.accountSettings),
  sealed('accounts', 'sealed_grant', ['owner_id', 'account_id'], STORED.providerGrant),
  {
    ...sealed('pending_grants', 'sealed', ['owner_id'], STORED.pendingGrant),
    key: ['owner_id', 'state_hash'],
  },
  signed('credentials', ['owner_id', 'credential_id'], readCredential, isCredentialIntact, signedCredential),
  {
    ...sealed(
      'secrets',
      'sealed_tokens',
      ['owner_id', 'credential_id', 'secret_hash'],
      STORED.refreshedTokens,
    ),
    key: ['secret_hash'],
  },
  signed('secrets', ['secret_hash'], readSecret, isSecretIntact, signedSecret),
  {
    ...sealed('claims', 'sealed_outcome', ['owner_id', 'credential_id'], STORED.outcome),
    key: ['owner_id', 'credential_id', 'key'],
  },
  sealed('approvals', 'sealed_note', OF_APPROVAL, STORED.rejectionNote),
  sealed('approvals', 'sealed_diff', OF_APPROVAL, STORED.editDiff),
  sealed('plans', 'sealed_gist', OF_APPROVAL, STORED.gist),
  sealed('plans', 'sealed_plan', OF_APPROVAL, STORED.plan),
  sealed('plans', 'sealed_asked', OF_APPROVAL, STORED.askedPlan),
  signed('checkpoints', ['owner_id', 'number'], readCheckpoint, isCheckpointIntact, signedCheckpoint),
  sealed('endpoints', 'sealed_secret', ['owner_id', 'endpoint_id'], STORED.endpointSecret),
  sealed('endpoints', 'sealed_previous', ['owner_id', 'endpoint_id'], STORED.endpointSecret),
  sealed('notice_channels', 'sealed_target', ['owner_id', 'channel_id'], STORED.noticeTarget),
  sealed('reads', 'sealed', ['owner_id', 'read_id'], STORED.read),
];

/** A column that is sealed for the values of `context`, which are also its key. */
function sealed(table: string, column: string, context: readonly string[], purpose: string): SealedColumn {
  return {
    table,
    column,
    key: context,
    renewed: (row, keyring) =>
      resealed(keyring, purpose, context.map((name) => String(row[name])).join('\n'), text(row, column)),
  };
}

/** The column `signature` of a table. */
function signed<Signed extends { readonly signature: string | null }>(
  table: string,
  key: readonly string[],
  read: (row: Row) => Signed,
  isIntact: (row: Signed, keyring: Keyring) => boolean,
  sign: (row: Signed, keyring: Keyring) => Signed,
): SealedColumn {
  return {
    table,
    column: 'signature',
    key,
    renewed(row, keyring) {
      const stored = read(row);
      if (!isIntact(stored, keyring)) throw altered();
      return sign(stored, keyring).signature;
    },
  };
}

function resealed(keyring: Keyring, purpose: string, context: string, value: string): string {
  return keyring.seal(purpose, context, keyring.open(purpose, context, value));
}

function altered(): Error {
  return new Error('the row was changed outside Countersign');
}

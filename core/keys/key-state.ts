import * as z from 'zod';
import { owners } from '../owners/owner-state.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { instant, integer, oneOf, parsed, parsedOr, sealed, text } from '../state/column.ts';
import { select, statements } from '../state/query.ts';
import { pick, type RowOf, table, type ValuesOf } from '../state/table.ts';
import { fencesIn, fencesText, NO_FENCES } from './fences.ts';
import { GROUPS, type Modes, modesOf } from './permissions.ts';

const storedModes = z.record(z.string(), z.string());

function modesIn(stored: string): Modes {
  const modes = storedModes.parse(JSON.parse(stored));
  if (!isModes(modes)) throw new Error('they are modes that this program does not know');
  return modes;
}

function isModes(value: Readonly<Record<string, string>>): value is Modes {
  return GROUPS.every((group) => modesOf(group).some((mode) => mode === value[group]));
}

export const credentials = table(
  'credentials',
  {
    ownerId: text(),
    credentialId: text(),
    /** `pat`: a key. `oauth`: the sign-in of an assistant. */
    kind: oneOf(['pat', 'oauth']),
    name: text(),
    /** JSON: group to mode. */
    modes: parsed(modesIn, (modes) => JSON.stringify(modes)),
    /** JSON. NULL: none. */
    fences: parsedOr(NO_FENCES, fencesIn, fencesText),
    /** Counts every change of the modes and the fences, from 1. */
    revision: integer(),
    createdAt: instant(),
    /** Of the newest secret. */
    expiresAt: instant(),
    /** The last end of the secrets before it. */
    overlapUntil: instant().orNull(),
    pausedAt: instant().orNull(),
    revokedAt: instant().orNull(),
    signature: text(),
  },
  { key: ['ownerId', 'credentialId'], partOf: owners },
);

export const secrets = table(
  'secrets',
  {
    /** A directory: the key of a secret is looked up before its owner is known. */
    secretHash: text(),
    ownerId: text(),
    credentialId: text(),
    expiresAt: instant(),
    sealedTokens: sealed(STORED.refreshedTokens, ['ownerId', 'credentialId', 'secretHash']).orNull(),
    signature: text(),
  },
  {
    key: ['secretHash'],
    partOf: credentials,
    indexes: { secrets_of_credential: { on: ['ownerId', 'credentialId'] } },
  },
);

/** A credential as stored: `overlapUntil` stays after the overlap has ended. */
export type StoredCredential = RowOf<typeof credentials>;
export type StoredSecret = RowOf<typeof secrets>;

/** A credential, with what else decides about what it may do now. */
export const KEY_STATUS_COLUMNS = { ...credentials.columns, ...pick(owners.columns, ['plan', 'limits']) };
export type KeyStatus = ValuesOf<typeof KEY_STATUS_COLUMNS>;

export const credentialById = select(credentials, { by: ['ownerId', 'credentialId'] });
export const secretsOfCredential = select(secrets, { by: ['ownerId', 'credentialId'] });
export const secretsOfOwner = select(secrets, { by: ['ownerId'] });
export const credentialOfSecret = select(secrets, {
  by: ['secretHash'],
  only: ['ownerId', 'credentialId'],
});

const { ownerId, credentialId } = credentials.columns;

export const keyStatements = statements({
  /** Newest first. */
  credentials_of_owner: { params: { ownerId }, columns: credentials.columns },
  /** Of the credentials that are not revoked: when each last called, and how many of its requests are pending. */
  credential_use: {
    params: { ownerId },
    columns: { credentialId, lastCall: instant().orNull(), waiting: integer() },
  },
});

import { integer, text } from '../state/column.ts';
import { select, statements } from '../state/query.ts';
import { type RowOf, table } from '../state/table.ts';
import { owners } from './owner-state.ts';

/** Browsers in which the owner has signed in, each with its own tries at the password. */
export const devices = table(
  'devices',
  {
    ownerId: text(),
    deviceHash: text(),
    lastSignInMs: integer(),
    failures: integer(),
    lastMs: integer(),
  },
  { key: ['ownerId', 'deviceHash'], partOf: owners },
);

/** Counters of tries at passwords, by address and email, which may be nobody's. */
export const passwordTries = table(
  'password_tries',
  { rowNumber: integer(), failures: integer(), lastMs: integer(), forgottenMs: integer() },
  {
    key: ['rowNumber'],
    erased: { by: 'forgottenMs', before: 'passwordTriesBefore' },
    indexes: { password_tries_forgotten: { on: ['forgottenMs'] } },
  },
);

export type Device = Omit<RowOf<typeof devices>, 'ownerId'>;

export const devicesOfOwner = select(devices, {
  by: ['ownerId'],
  only: ['deviceHash', 'lastSignInMs', 'failures', 'lastMs'],
});
export const triesInRows = select(passwordTries, {
  by: [],
  among: 'rowNumber',
  only: ['rowNumber', 'failures', 'lastMs'],
});

export const passwordStatements = statements({
  devices_by_email: { params: { emailFolded: text() }, columns: devicesOfOwner.columns },
});

import { STORED } from '../secrets/stored-purposes.ts';
import { instant, longText, sealed, text } from '../state/column.ts';
import { table } from '../state/table.ts';

/** What keys were shown. */
export const reads = table(
  'reads',
  {
    ownerId: text(),
    /** The same for the same credential and content. */
    readId: text(),
    at: instant(),
    credentialId: text(),
    /** Of addresses, hosts, account numbers and amounts, base64. */
    hashes: longText(),
    /** Of ten words in a row, base64. */
    phrases: text(),
    sealed: sealed(STORED.read),
  },
  {
    key: ['ownerId', 'readId'],
    isWide: true,
    indexes: {
      reads_by_age: { on: ['at'] },
      reads_of_owner: { on: ['ownerId', 'at', 'readId'], also: ['hashes'] },
    },
  },
);

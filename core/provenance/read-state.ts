import { STORED } from '../secrets/stored-purposes.ts';
import { instant, integer, longText, sealed, text } from '../state/column.ts';
import { commands, select, statements } from '../state/query.ts';
import { type RowOf, table } from '../state/table.ts';

/** What calls showed, kept for a day to find out where a request comes from. Without any text in clear. */
export const reads = table(
  'reads',
  {
    ownerId: text(),
    /** The same for the same credential and content: a read that is repeated replaces its row. */
    readId: text(),
    at: instant(),
    credentialId: text(),
    /** Packed keyed hashes of the values that the read showed, base64. */
    hashes: longText(),
    /** Packed keyed hashes of ten words in a row, base64. */
    phrases: text(),
    /** What was read: ids, titles and authors. */
    sealed: sealed(STORED.read),
  },
  {
    key: ['ownerId', 'readId'],
    isWide: true,
    erased: { by: 'at', before: 'readsBefore' },
    indexes: {
      reads_by_age: { on: ['at'] },
      reads_of_owner: { on: ['ownerId', 'at', 'readId'], also: ['hashes'] },
    },
  },
);

export type StoredRead = Pick<RowOf<typeof reads>, 'readId' | 'at' | 'hashes'>;
export type StoredSources = Omit<RowOf<typeof reads>, 'ownerId' | 'hashes'>;
/** A read as its call records it. */
export type NewRead = Omit<RowOf<typeof reads>, 'ownerId' | 'credentialId' | 'at'>;

export const sourcesOfReads = select(reads, {
  by: ['ownerId'],
  among: 'readId',
  only: ['readId', 'credentialId', 'at', 'phrases', 'sealed'],
});

export const readStatements = statements({
  /** Newest first: those after a time, behind a read in that order. */
  reads_between: {
    params: { ownerId: text(), after: instant(), before: instant(), beforeId: text(), limit: integer() },
    columns: { readId: text(), at: instant(), hashes: text() },
  },
});

export const readCommands = commands({
  /** Adds a read of an owner that exists, or sets its time and its sources. */
  remember_read: reads.columns,
});

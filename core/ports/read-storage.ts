/** What calls showed, kept for a day to find out where a request comes from. Without any text in clear. */
export interface ReadStorage {
  /**
   * The owner's reads after a time, by all credentials, newest first.
   * @param query `before`: only those behind this read in that order
   */
  reads(query: {
    ownerId: string;
    after: Date;
    before?: Pick<StoredRead, 'at' | 'readId'> | undefined;
    limit: number;
  }): Promise<readonly StoredRead[]>;
  /** Records what a call showed after it had ended. */
  rememberRead(shown: { ownerId: string; credentialId: string; read: NewRead; now: Date }): Promise<void>;
  /** The sources of these reads, in any order. Those that were erased are missing. */
  readSources(ownerId: string, readIds: readonly string[]): Promise<readonly StoredSources[]>;
}

export interface StoredRead {
  /** The same for the same credential and content: a read that is repeated replaces its row. */
  readonly readId: string;
  readonly at: Date;
  /** Packed keyed hashes of the values that the read showed, base64. */
  readonly hashes: string;
}

export interface StoredSources {
  readonly readId: string;
  readonly credentialId: string;
  readonly at: Date;
  /** Packed keyed hashes of ten words in a row, base64. */
  readonly phrases: string;
  /** What was read: ids, titles and authors. */
  readonly sealed: string;
}

/** A read as its call records it. */
export type NewRead = Omit<StoredRead, 'at'> & Omit<StoredSources, 'at' | 'credentialId'>;

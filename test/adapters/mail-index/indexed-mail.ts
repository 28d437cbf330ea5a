import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteIndex } from '../../../adapters/mail-index/sqlite-index.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { indexedMail } from '../../../core/mail-index/indexed-mail.ts';
import type { MailIndexing } from '../../../core/mail-index/kept-index.ts';
import type { MailIndex } from '../../../core/ports/mail-index.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { slowClock } from '../../slow-clock.ts';

export const INDEX_KEY = new Uint8Array(32).fill(7);

/** A file of an index, for one test. */
export interface IndexFolder {
  open(): MailIndex;
  readonly file: string;
  remove(): void;
}

export async function indexFolder(): Promise<IndexFolder> {
  const workerFile = await bundleForChild(
    join(import.meta.dirname, '../../../adapters/mail-index/worker.ts'),
  );
  const folder = mkdtempSync(join(tmpdir(), 'countersign-index-'));
  const file = join(folder, 'index.db');
  return {
    file,
    open: () => sqliteIndex({ file, workerFile }),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Mailboxes with an index beside them. What it writes to the log is a failure. */
export function indexed(
  mail: Mail,
  index: MailIndex,
  warned: (message: string) => void = fail,
): Mail & MailIndexing {
  return indexedMail({
    current: async (account) => account,
    ...{ mail, index, secretKey: INDEX_KEY, reader: inlineReader(), clock: slowClock() },
    log: { info: () => undefined, warn: warned, error: warned },
  });
}

function fail(message: string): void {
  throw new Error(message);
}

/** The server answers itself if more has come since the last question. */
const INDEXED_FOR_A_CALL = 32;

/** The same mailboxes, which neither search nor know conversations themselves, but say what is not there. */
export function withoutSearch(mail: Mail): Mail {
  return {
    ...mail,
    search(call, query) {
      if (query.path === 'No such folder') return mail.search(call, query);
      throw new Error(`The server was asked for ${JSON.stringify(query)}`);
    },
    async thread(call, place) {
      const rows = await mail.thread(call, place);
      const counts = await mail.counts(call);
      const messages = counts.reduce((sum, one) => sum + ('total' in one ? one.total : 0), 0);
      if (messages > INDEXED_FOR_A_CALL) return rows;
      throw new Error(`The server was asked for the conversation of ${JSON.stringify(place)}`);
    },
  };
}

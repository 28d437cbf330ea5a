import type { Database } from 'better-sqlite3';
import * as z from 'zod';

/** Erases messages from the file of an index, in pieces that are short enough for others to have their turn. */
export interface MessageErasing {
  one(id: number): void;
  /** Erases some messages of a folder. @returns whether there were any */
  some(folder: number): boolean;
  /** After the last `some`: erases some of what they leave behind. @returns whether there may be more */
  rest(): boolean;
}

/** In one transaction. */
const PIECE_MESSAGES = 500;
/** In one step. */
const PIECE_PAGES = 200;
/** The percentage of erased entries at which SQLite merges a part of the terms (FTS5, 6.9), and its default. */
const MERGES_AT = 10n;

const messageId = z.int();
const count = z.int();

/**
 * While many messages are erased, SQLite would merge what is left of the terms over and over, which takes a hundred times
 * as long. So it is told not to, and does it once, when they are gone.
 */
export function messageErasing(db: Database): MessageErasing {
  const idsOf = db.prepare(`SELECT id FROM messages WHERE folder = ? LIMIT ${PIECE_MESSAGES}`).pluck();
  const removeMessage = db.prepare('DELETE FROM messages WHERE id = ?');
  const removeLinks = db.prepare('DELETE FROM links WHERE message = ?');
  const removeTerms = db.prepare('DELETE FROM terms WHERE rowid = ?');
  const configure = db.prepare('INSERT INTO terms (terms, rank) VALUES (?, ?)');
  const mergesAt = db.prepare(`SELECT v FROM terms_config WHERE k = 'deletemerge'`).pluck();
  const changes = db.prepare('SELECT total_changes()').pluck();
  const freePages = db.prepare('PRAGMA freelist_count').pluck();
  let isMerging = false;

  // Otherwise it stays so if the process died.
  if (mergesAt.get() === 0) configure.run('deletemerge', MERGES_AT);

  function one(id: number): void {
    removeMessage.run(id);
    removeLinks.run(id);
    removeTerms.run(id);
  }

  const some = db.transaction((folder: number) => {
    const ids = idsOf.all(folder).map((id) => messageId.parse(id));
    if (ids.length > 0) configure.run('deletemerge', 0n);
    for (const id of ids) one(id);
    return ids.length > 0;
  });

  function merge(): void {
    const before = count.parse(changes.get());
    // A negative number begins, over all parts. Fewer than two changes: there was nothing left to do.
    configure.run('merge', BigInt(isMerging ? PIECE_PAGES : -PIECE_PAGES));
    isMerging = count.parse(changes.get()) - before >= 2;
    if (!isMerging) configure.run('deletemerge', MERGES_AT);
  }

  return {
    one,
    some: (folder) => some.immediate(folder),
    rest() {
      if (mergesAt.get() === 0) {
        merge();
        return true;
      }
      const before = count.parse(freePages.get());
      // A statement that runs once would give back one page.
      db.exec(`PRAGMA incremental_vacuum(${PIECE_PAGES})`);
      const after = count.parse(freePages.get());
      return after > 0 && after < before;
    },
  };
}

import { createHmac } from 'node:crypto';
import * as z from 'zod';
import type { MessagePlace } from '../../core/mail/listed-message.ts';
import { type IndexTerms, indexTerms } from '../../core/mail-index/index-terms.ts';
import type {
  IndexChange,
  IndexedAccount,
  IndexedFolder,
  IndexedPlace,
  IndexPage,
  IndexQuery,
  IndexSize,
} from '../../core/ports/mail-index.ts';
import { messageErasing } from './erase-messages.ts';
import { findConversation } from './find-conversation.ts';
import { type FolderPlace, findHits, indexedText } from './find-hits.ts';
import { idBegin, SECOND_IDS } from './message-id.ts';
import { indexedAccount, indexedFolder } from './messages.ts';
import { openIndexFile } from './open-file.ts';
import { derivedKey, sealedRecords } from './sealed-records.ts';

/** The methods of MailIndex, on a file of SQLite. What takes long is done in parts. */
export interface IndexFile {
  accounts(): readonly IndexedAccount[];
  folders(account: IndexedAccount): readonly IndexedFolder[];
  uids(account: IndexedAccount, path: string): readonly number[];
  save(account: IndexedAccount, change: IndexChange): void;
  /** Erases a part of it. @returns whether to go on */
  forgetFolder(account: IndexedAccount, path: string): boolean;
  /** Erases a part of it. @returns whether to go on */
  forgetAccount(account: IndexedAccount): boolean;
  fetched(account: IndexedAccount, day: number): number;
  addFetched(account: IndexedAccount, day: number, bytes: number): number;
  size(account: IndexedAccount): IndexSize;
  search(account: IndexedAccount, query: IndexQuery): IndexPage | 'unanswerable';
  conversation(account: IndexedAccount, place: MessagePlace): readonly IndexedPlace[] | 'unanswerable';
  close(): void;
}

/** A folder as it is sealed. */
const folderRecord = z.object({ account: indexedAccount, folder: indexedFolder });
type FolderRecord = z.infer<typeof folderRecord>;

const folderRow = z.object({ id: z.int(), sealed: z.instanceof(Uint8Array) });
const uid = z.int();
const messageId = z.int();
const count = z.int();

/** Terms of accounts are kept for so many: each takes up to 3 MB. */
const ACCOUNTS_KEPT = 2;

/** @throws Error if the file can be neither opened nor created */
export function indexFile(file: string, secretKey: Uint8Array): IndexFile {
  const db = openIndexFile(file, secretKey);
  const records = sealedRecords(derivedKey(secretKey, 'records'));
  const [termKey, nameKey] = [derivedKey(secretKey, 'terms'), derivedKey(secretKey, 'names')];
  const erasing = messageErasing(db);
  const termsKept = new Map<string, IndexTerms>();
  const nameOf = (text: string) =>
    createHmac('sha256', nameKey).update(text, 'utf8').digest().subarray(0, 16);
  const textOf = ({ ownerId, accountId }: IndexedAccount) => JSON.stringify([ownerId, accountId]);
  const accountName = (account: IndexedAccount) => nameOf(textOf(account));

  const aFolderOfEach = db.prepare(
    'SELECT id, sealed FROM folders WHERE id IN (SELECT min(id) FROM folders GROUP BY account)',
  );
  const foldersOf = db.prepare('SELECT id, sealed FROM folders WHERE account = ? ORDER BY id');
  const folderNamed = db.prepare('SELECT id, sealed FROM folders WHERE account = ? AND path = ?');
  const addFolder = db.prepare('INSERT INTO folders (account, path, sealed) VALUES (?, ?, ?)');
  const updateFolder = db.prepare('UPDATE folders SET sealed = ? WHERE id = ?');
  const removeFolder = db.prepare('DELETE FROM folders WHERE id = ?');
  const uidsOf = db.prepare('SELECT uid FROM messages WHERE folder = ? ORDER BY uid').pluck();
  const forgetDays = db.prepare('DELETE FROM fetched WHERE day < ?');
  const fetchedOn = db.prepare('SELECT bytes FROM fetched WHERE account = ? AND day = ?').pluck();
  const addFetched = db
    .prepare(
      `INSERT INTO fetched (account, day, bytes) VALUES (?, ?, ?)
      ON CONFLICT (account, day) DO UPDATE SET bytes = bytes + excluded.bytes RETURNING bytes`,
    )
    .pluck();
  const countOf = db.prepare('SELECT count(*) FROM messages WHERE folder = ?').pluck();
  const countOfAll = db.prepare('SELECT count(*) FROM messages').pluck();
  const pageCount = db.prepare('PRAGMA page_count').pluck();
  const pageSize = db.prepare('PRAGMA page_size').pluck();
  const idOf = db.prepare('SELECT id FROM messages WHERE folder = ? AND uid = ?').pluck();
  const lastIdOf = db.prepare('SELECT max(id) FROM messages WHERE id >= ? AND id < ?').pluck();
  const addMessage = db.prepare(
    'INSERT INTO messages (id, folder, uid, received_ms, sealed) VALUES (?, ?, ?, ?, ?)',
  );
  const addTerms = db.prepare('INSERT INTO terms (rowid, term) VALUES (?, ?)');
  const addLink = db.prepare('INSERT INTO links (message, hash) VALUES (?, ?)');

  function termsOf(account: IndexedAccount): IndexTerms {
    const text = textOf(account);
    const terms = termsKept.get(text) ?? indexTerms(termKey, text);
    termsKept.delete(text);
    termsKept.set(text, terms);
    for (const oldest of termsKept.keys()) {
      if (termsKept.size <= ACCOUNTS_KEPT) break;
      termsKept.delete(oldest);
    }
    return terms;
  }

  function recordOf(row: unknown): FolderRecord & { readonly id: number } {
    const { id, sealed } = folderRow.parse(row);
    return { id, ...folderRecord.parse(records.open(`folder ${id}`, sealed)) };
  }

  function opened(row: unknown): FolderPlace & IndexedFolder {
    const { id, folder } = recordOf(row);
    return { id, ...folder };
  }

  function setFolder(id: number, { ownerId, accountId }: IndexedAccount, folder: IndexedFolder): void {
    const record: FolderRecord = { account: { ownerId, accountId }, folder };
    updateFolder.run(records.seal(`folder ${id}`, record), id);
  }

  function placesOf(account: IndexedAccount): readonly (FolderPlace & IndexedFolder)[] {
    return foldersOf.all(accountName(account)).map(opened);
  }

  function placeOf(account: IndexedAccount, path: string): (FolderPlace & IndexedFolder) | undefined {
    const row = folderNamed.get(accountName(account), nameOf(path));
    return row === undefined ? undefined : opened(row);
  }

  function newFolder(account: IndexedAccount, path: string): number {
    return Number(addFolder.run(accountName(account), nameOf(path), Buffer.alloc(0)).lastInsertRowid);
  }

  /** Erases a part of a folder. */
  function forgetSome(account: IndexedAccount, { id, ...folder }: FolderPlace & IndexedFolder): void {
    // After a kill, what is left is not taken for the whole folder.
    if (folder.state !== null) setFolder(id, account, { ...folder, state: null });
    if (!erasing.some(id)) removeFolder.run(id);
  }

  function forgetFolder(account: IndexedAccount, path: string): boolean {
    const place = placeOf(account, path);
    if (place === undefined) return erasing.rest();
    forgetSome(account, place);
    return true;
  }

  /** The next free id of the second in which a message was received. */
  function nextId(receivedMs: number): number {
    const begin = idBegin(receivedMs);
    const last = messageId.nullable().parse(lastIdOf.get(begin, begin + SECOND_IDS));
    return last === null ? begin : last + 1;
  }

  const saveAll = db.transaction((account: IndexedAccount, change: IndexChange) => {
    const { add, remove: removed, ...place } = change;
    const terms = termsOf(account);
    const folder = placeOf(account, place.path)?.id ?? newFolder(account, place.path);
    for (const gone of removed) {
      const id = idOf.get(folder, gone);
      if (id !== undefined) erasing.one(messageId.parse(id));
    }
    for (const { uid: added, receivedMs, text, linkedIds } of add) {
      if (idOf.get(folder, added) !== undefined) continue;
      const id = nextId(receivedMs);
      const { sender, head, body, isWhole } = text;
      addMessage.run(
        id,
        folder,
        added,
        receivedMs,
        records.seal(`message ${id}`, [sender, head, body, isWhole]),
      );
      addTerms.run(id, terms.ofMessage(text));
      for (const link of new Set(linkedIds ?? [null])) addLink.run(id, terms.ofLink(link));
    }
    setFolder(folder, account, place);
  });

  return {
    accounts: () => aFolderOfEach.all().map((row) => recordOf(row).account),
    folders: (account) => placesOf(account).map(({ id: _, ...folder }) => folder),
    uids(account, path) {
      const place = placeOf(account, path);
      return place === undefined ? [] : uidsOf.all(place.id).map((one) => uid.parse(one));
    },
    save(account, change) {
      const before = placeOf(account, change.path);
      if (before !== undefined && before.uidValidity !== change.uidValidity)
        while (forgetFolder(account, change.path));
      saveAll.immediate(account, change);
    },
    forgetFolder,
    forgetAccount(account) {
      const place = placesOf(account)[0];
      if (place === undefined) return erasing.rest();
      forgetSome(account, place);
      return true;
    },
    fetched: (account, day) => count.optional().parse(fetchedOn.get(accountName(account), day)) ?? 0,
    addFetched(account, day, bytes) {
      forgetDays.run(day);
      return count.parse(addFetched.get(accountName(account), day, bytes));
    },
    size(account) {
      const messages = placesOf(account).reduce((sum, { id }) => sum + count.parse(countOf.get(id)), 0);
      const share = messages / Math.max(1, count.parse(countOfAll.get()));
      const fileBytes = count.parse(pageCount.get()) * count.parse(pageSize.get());
      return { messages, bytes: Math.round(share * fileBytes) };
    },
    search: (account, query) =>
      findHits({
        db,
        query,
        terms: termsOf(account),
        folders: placesOf(account),
        textAt: (id, sealed) => indexedText.parse(records.open(`message ${id}`, sealed)),
      }),
    conversation(account, place) {
      const folder = placeOf(account, place.path);
      if (folder?.uidValidity !== place.uidValidity) return [];
      const id = messageId.optional().parse(idOf.get(folder.id, place.uid));
      if (id === undefined) return [];
      const unlinked = termsOf(account).ofLink(null);
      return findConversation({ db, id, unlinked, folders: placesOf(account) });
    },
    close: () => void db.close(),
  };
}

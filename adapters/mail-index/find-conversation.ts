import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import type { IndexedPlace } from '../../core/ports/mail-index.ts';
import { THREAD_MAX } from '../../core/ports/mail-reading.ts';
import type { FolderPlace } from './find-hits.ts';

interface Conversation {
  readonly db: Database;
  /** Of a message of it. */
  readonly id: number;
  /** The hash that messages have whose ids are unknown. */
  readonly unlinked: Uint8Array;
  /** Of the account. */
  readonly folders: readonly FolderPlace[];
}

/** What takes longer is left to the server. */
const CONVERSATION_MS = 2000;

const found = z.object({ id: z.int(), folder: z.int(), uid: z.int(), internalDateMs: z.int() });
type Found = z.infer<typeof found>;

/** As MailIndex.conversation. */
export function findConversation({
  db,
  id,
  unlinked,
  folders,
}: Conversation): readonly IndexedPlace[] | 'unanswerable' {
  const begunMs = performance.now();
  if (db.prepare('SELECT 1 FROM links WHERE hash = ? LIMIT 1').get(unlinked) !== undefined)
    return 'unanswerable';
  // From a message to its ids, from an id to its messages, and each only once.
  const linked = db.prepare(
    `WITH RECURSIVE near (message, hash) AS (
      SELECT ?, NULL
      UNION SELECT NULL, links.hash FROM near CROSS JOIN links ON links.message = near.message
      UNION SELECT links.message, NULL FROM near CROSS JOIN links ON links.hash = near.hash
    )
    SELECT id, folder, uid, received_ms AS "internalDateMs" FROM near CROSS JOIN messages ON messages.id = near.message`,
  );
  const byFolder = new Map<number, Found[]>(folders.map((folder) => [folder.id, []]));
  for (const row of linked.iterate(id)) {
    if (performance.now() - begunMs > CONVERSATION_MS) return 'unanswerable';
    const one = found.parse(row);
    byFolder.get(one.folder)?.push(one);
  }
  return folders.flatMap((folder) =>
    newest(byFolder.get(folder.id) ?? [], id).map(({ uid, internalDateMs }) => ({
      path: folder.path,
      uid,
      internalDateMs,
    })),
  );
}

/** The newest, always with the one of that id. */
function newest(all: readonly Found[], id: number): readonly Found[] {
  if (all.length <= THREAD_MAX) return all;
  const first = ({ id: one }: Found) => (one === id ? Number.POSITIVE_INFINITY : one);
  return all.toSorted((a, b) => first(b) - first(a)).slice(0, THREAD_MAX);
}

import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import type { IndexTerms } from '../../core/mail-index/index-terms.ts';
import { textMatcher } from '../../core/mail-index/indexed-text.ts';
import type { IndexedText, IndexHit, IndexPage, IndexQuery } from '../../core/ports/mail-index.ts';
import { compareSearchPositions, folderKey } from '../../core/ports/mail-reading.ts';
import { beginOf, idBegin, SECOND_IDS } from './message-id.ts';

export interface FolderPlace {
  readonly id: number;
  readonly path: string;
}

interface Search {
  readonly db: Database;
  readonly query: IndexQuery;
  readonly terms: IndexTerms;
  /** Of the account. */
  readonly folders: readonly FolderPlace[];
  textAt(id: number, sealed: Uint8Array): IndexedText;
}

/** Of the texts that a message of an index consists of. */
export const indexedText = z
  .tuple([z.string(), z.string(), z.string(), z.boolean()])
  .transform(([sender, head, body, isWhole]): IndexedText => ({ sender, head, body, isWhole }));

/** So many texts are looked at to count what matches, or as many as take no longer than COUNT_MS. */
const COUNTED_MAX = 300;
const COUNT_MS = 200;
/** A page that takes longer is left to the server. */
const PAGE_MS = 2000;
/** Where terms tell nothing, so many texts are looked at. */
const SCANNED_MAX = 300;
/** More terms do not find less. */
const TERMS_ASKED = 64;

const candidate = z.object({ id: z.int(), folder: z.int(), uid: z.int(), receivedMs: z.int() });
type Candidate = z.infer<typeof candidate>;
const sealedText = z.instanceof(Uint8Array);

/** Returns the page, or `unanswerable` if only reading very many texts would tell. */
export function findHits(search: Search): IndexPage | 'unanswerable' {
  const { db, query, terms, textAt } = search;
  const asksText = query.words.length > 0 || query.from !== undefined;
  const wanted = terms.ofQuery(query).slice(0, TERMS_ASKED);
  const expression =
    wanted.length === 0 ? `"${terms.all}"` : `(${wanted.map(quoted).join(' AND ')}) OR ${quoted(terms.any)}`;
  const begunMs = performance.now();
  const spentMs = () => performance.now() - begunMs;
  const matches = textMatcher(query);
  const sealedOf = db.prepare('SELECT sealed FROM messages WHERE id = ?').pluck();
  const scopes = scopesOf(search);
  const sinceMs = query.sinceMs ?? Number.NEGATIVE_INFINITY;
  const unknown = new Map<string, number>();
  let looked = 0;

  function isHit({ id, folder, uid, receivedMs }: Candidate): boolean {
    const scope = scopes.get(folder);
    if (scope === undefined || receivedMs < sinceMs || scope.among?.has(uid) === false) return false;
    if (!asksText) return true;
    looked += 1;
    const match = matches(textAt(id, sealedText.parse(sealedOf.get(id))));
    if (match === 'unknown') unknown.set(scope.path, (unknown.get(scope.path) ?? 0) + 1);
    return match === 'yes';
  }

  /** Yields undefined for a candidate that does not match, so that the time is looked at. */
  function* hits(range: IdRange): Generator<IndexHit | undefined> {
    for (const second of seconds(db, expression, range)) {
      const ordered = second
        .flatMap((one) => {
          const scope = scopes.get(one.folder);
          return scope === undefined ? [] : [{ one, hit: hitOf(one, scope) }];
        })
        .sort((a, b) => compareSearchPositions(a.hit, b.hit));
      for (const { one, hit } of ordered) yield isHit(one) ? hit : undefined;
    }
  }

  if (asksText && wanted.length === 0 && countOf(db, expression) > SCANNED_MAX) return 'unanswerable';
  const least = query.sinceMs === undefined ? 0 : idBegin(query.sinceMs);
  const { after } = query;
  const behind = after === undefined ? Number.MAX_SAFE_INTEGER : idBegin(after.internalDateMs) + SECOND_IDS;
  const isOver = () => looked > COUNTED_MAX && spentMs() > COUNT_MS;
  const page: IndexHit[] = [];
  let total = 0;
  let isExact = true;
  for (const hit of hits({ least, below: behind })) {
    if (hit !== undefined) total += 1;
    const isBehind = hit !== undefined && (after === undefined || compareSearchPositions(after, hit) < 0);
    if (isBehind && page.length <= query.limit) page.push(hit);
    if (page.length > query.limit && isOver()) {
      isExact = false;
      break;
    }
    if (spentMs() > PAGE_MS) return 'unanswerable';
  }
  // The pages before this one, to count them.
  if (after !== undefined) {
    for (const hit of hits({ least: Math.max(least, behind), below: Number.MAX_SAFE_INTEGER })) {
      if (hit !== undefined) total += 1;
      if (isOver()) {
        isExact = false;
        break;
      }
    }
  }
  return { hits: page.slice(0, query.limit), more: page.length > query.limit, total, isExact, unknown };
}

function quoted(term: string): string {
  return `"${term}"`;
}

interface Scope {
  readonly path: string;
  readonly key: string;
  readonly among: ReadonlySet<number> | undefined;
}

function scopesOf({ query, folders }: Search): ReadonlyMap<number, Scope> {
  const ids = new Map(folders.map(({ id, path }) => [path, id]));
  return new Map(
    query.folders.flatMap(({ path, among }) => {
      const id = ids.get(path);
      return id === undefined ? [] : [[id, { path, key: folderKey(path), among: among && new Set(among) }]];
    }),
  );
}

function hitOf({ uid, receivedMs }: Candidate, { path, key }: Scope): IndexHit {
  return { path, folderKey: key, uid, internalDateMs: receivedMs };
}

function countOf(db: Database, expression: string): number {
  return z.int().parse(db.prepare('SELECT count(*) FROM terms WHERE terms MATCH ?').pluck().get(expression));
}

interface IdRange {
  readonly least: number;
  readonly below: number;
}

/** Yields the candidates second by second, the newest first. */
function* seconds(db: Database, expression: string, { least, below }: IdRange): Generator<Candidate[]> {
  const rows = db.prepare(
    `SELECT messages.id, folder, uid, received_ms AS "receivedMs"
    FROM terms CROSS JOIN messages ON messages.id = terms.rowid
    WHERE terms MATCH ? AND terms.rowid >= ? AND terms.rowid < ? ORDER BY terms.rowid DESC`,
  );
  let second: Candidate[] = [];
  for (const row of rows.iterate(expression, least, below)) {
    const one = candidate.parse(row);
    if (second[0] !== undefined && beginOf(second[0].id) !== beginOf(one.id)) {
      yield second;
      second = [];
    }
    second.push(one);
  }
  if (second.length > 0) yield second;
}

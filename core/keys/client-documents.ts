import { boundedCache } from '../memory/bounded-cache.ts';
import type { Clock } from '../ports/clock.ts';
import type { DocumentSource, PublishedDocument } from '../ports/document-source.ts';
import { MINUTE_MS } from '../time/durations.ts';
import { addressGroup } from './address-group.ts';
import { type Client, documentedClient } from './sign-in/client.ts';
import { type Refusal, refused } from './sign-in/refusal.ts';

/** Twice the limit that draft-ietf-oauth-client-id-metadata-document suggests. */
const DOCUMENT_BYTES_MAX = 10 * 1024;
const FETCH_MS = 5000;
/** Per host and per caller, so that a slow one does not hold up the others. */
const FETCHES_OF_ONE = 2;
const FETCHES_AT_ONCE = 32;
/** Some 500 ordinary documents. */
const KEPT_BYTES = 1024 * 1024;
/** Besides its texts. */
const CLIENT_BYTES = 500;
const KEPT_MS = { least: MINUTE_MS, default: 5 * MINUTE_MS, most: 60 * MINUTE_MS };

/**
 * Returns the client of a document URL. Keeps documents in memory as long as their host allows, within limits. Callers who
 * want the same document at the same time share one fetch.
 */
export function createClientDocuments(
  source: DocumentSource | undefined,
  clock: Pick<Clock, 'now'>,
): (url: string, address: string) => Promise<Client | Refusal> {
  const kept = boundedCache<{ readonly client: Client; readonly untilMs: number }>(
    KEPT_BYTES,
    ({ client }) => CLIENT_BYTES + 2 * JSON.stringify(client).length,
  );
  const underway = new Map<string, Underway>();

  function fetched(url: string, { host, caller }: Fetcher, from: DocumentSource): Underway | undefined {
    const known = underway.get(url);
    if (known !== undefined) return known;
    const all = [...underway.values()];
    const isFull =
      all.length >= FETCHES_AT_ONCE ||
      all.filter((one) => one.host === host).length >= FETCHES_OF_ONE ||
      all.filter((one) => one.caller === caller).length >= FETCHES_OF_ONE;
    if (isFull) return undefined;
    const limits = { maxBytes: DOCUMENT_BYTES_MAX, timeLimitMs: FETCH_MS };
    const document = from.fetch({ url, ...limits }).finally(() => underway.delete(url));
    const started = { host, caller, document };
    underway.set(url, started);
    return started;
  }

  return async (url, address) => {
    const known = kept.get(url);
    if (known !== undefined && known.untilMs > clock.now().getTime()) return known.client;
    if (source === undefined) {
      return refused('invalid_client', 'This server fetches no client documents: register the client.');
    }
    const fetcher = { host: new URL(url).hostname, caller: addressGroup(address) };
    const asked = fetched(url, fetcher, source);
    if (asked === undefined) {
      return refused('temporarily_unavailable', 'Too many client documents are being fetched: try again.');
    }
    const found = await asked.document;
    if (found === undefined) {
      return refused('invalid_client', 'The document at client_id cannot be fetched.');
    }
    const client = documentedClient(url, found.body);
    if ('kind' in client) return client;
    const untilMs = clock.now().getTime() + keptMs(found.cacheControl);
    kept.set(url, { client: structuredClone(client), untilMs });
    return client;
  };
}

interface Fetcher {
  readonly host: string;
  /** The address group of whoever asked first. */
  readonly caller: string;
}

interface Underway extends Fetcher {
  readonly document: Promise<PublishedDocument | undefined>;
}

function keptMs(cacheControl: string | null): number {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl ?? '')) return KEPT_MS.least;
  const [, seconds] = /\bmax-age=(\d{1,9})\b/i.exec(cacheControl ?? '') ?? [];
  if (seconds === undefined) return KEPT_MS.default;
  return Math.min(Math.max(Number(seconds) * 1000, KEPT_MS.least), KEPT_MS.most);
}

import { request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { expectPlainAnswer } from '../remote/plain-answer.ts';
import { isPublicAddress } from '../remote/public-address.ts';
import { withTimeLimit } from '../remote/time-limit.ts';
import type { Resolver } from './resolver.ts';

/** Fetches one small document, without following redirects. @throws Error whose message says in plain words why it failed */
export type HttpsGet = (url: URL, signal: AbortSignal) => Promise<HttpsAnswer>;

export interface HttpsAnswer {
  readonly status: number;
  /** The header as received. */
  readonly location: string | undefined;
  /** Empty unless the status is 200. */
  readonly body: Uint8Array;
}

const PATIENCE_MS = 5000;
const BODY_BYTES_MAX = 64 * 1024;

/**
 * HTTPS to the public internet only. Checks every address of the host before it sends anything, and connects to one of
 * the checked addresses, so a DNS answer that changes in between has no effect.
 * @param mayReach  whether an address is allowed
 * @param ca  the only authorities to trust; default: Node's
 */
export function httpsGet(options: {
  resolver: Resolver;
  mayReach?: (address: string) => boolean;
  ca?: string;
}): HttpsGet {
  const { resolver, mayReach = isPublicAddress, ca } = options;
  return async (url, signal) => {
    if (url.protocol !== 'https:') throw new Error('it is not an HTTPS address');
    // Node skips the lookup for an IP address, and so the check of addresses.
    if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0)
      throw new Error('it is an IP address, not a host name');
    return withTimeLimit({ signal, ms: PATIENCE_MS }, async (limit) => {
      try {
        const addresses = await resolver.resolveAddresses(url.hostname, limit);
        if (addresses.length === 0) throw new Error('there is no such host');
        if (!addresses.every(mayReach)) throw new Error('its address is not public');
        return await answerOf(url, lookupOf(addresses), ca, limit);
      } catch (error) {
        signal.throwIfAborted();
        if (limit.aborted) throw new Error('it did not answer in time', { cause: error });
        throw error;
      }
    });
  };
}

function lookupOf(addresses: readonly string[]): LookupFunction {
  const checked = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, done) => {
    const [first] = checked;
    if (all === true) done(null, checked);
    else done(null, first?.address ?? '', first?.family);
  };
}

function answerOf(
  url: URL,
  lookup: LookupFunction,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<HttpsAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      lookup,
      signal,
      agent: false,
      headers: { accept: 'application/xml, text/xml', 'user-agent': 'countersign' },
      ...(ca === undefined ? {} : { ca }),
    });
    outgoing.once('error', reject);
    expectPlainAnswer(outgoing);
    outgoing.once('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      if (status !== 200) {
        outgoing.destroy();
        resolve({ status, location: headers.location, body: new Uint8Array() });
        return;
      }
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > BODY_BYTES_MAX) outgoing.destroy(new Error('its answer is too large'));
        chunks.push(chunk);
      });
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status, location: headers.location, body: Buffer.concat(chunks) }),
      );
    });
    outgoing.end();
  });
}

import { request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Resolver } from '../../core/ports/resolver.ts';
import { isPublicAddress } from '../remote/public-address.ts';
import { underLimit } from '../remote/time-limit.ts';

/** Reads one small document. It follows nothing. @throws Error saying in plain words why there is no answer */
export type HttpsGet = (url: URL, signal: AbortSignal) => Promise<HttpsAnswer>;

export interface HttpsAnswer {
  readonly status: number;
  /** The header, as it came. */
  readonly location: string | undefined;
  /** Empty unless the status is 200. */
  readonly body: Uint8Array;
}

const PATIENCE_MS = 5000;
const BODY_BYTES_MAX = 64 * 1024;

/**
 * HTTPS towards the public internet only: every address of the host is judged before anything is sent, and the
 * connection goes to one that was judged, so that a name cannot point elsewhere a moment later.
 * @param mayReach  judges an address
 * @param ca  the only authorities that are believed; default: Node's
 */
export function httpsGet(options: {
  resolver: Resolver;
  mayReach?: (address: string) => boolean;
  ca?: string;
}): HttpsGet {
  const { resolver, mayReach = isPublicAddress, ca } = options;
  return async (url, signal) => {
    if (url.protocol !== 'https:') throw new Error('it is not an HTTPS address');
    // Node does not look up what is an address already, and so would not ask us.
    if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) throw new Error('it names no host');
    return underLimit({ signal, ms: PATIENCE_MS }, async (limit) => {
      try {
        const addresses = await resolver.resolveAddresses(url.hostname, limit);
        if (addresses.length === 0) throw new Error('there is no such host');
        if (!addresses.every(mayReach)) throw new Error('its address is not one of the public internet');
        return await answerOf(url, lookupOf(addresses), ca, limit);
      } catch (error) {
        signal.throwIfAborted();
        if (limit.aborted) throw new Error('it does not answer in time', { cause: error });
        throw error;
      }
    });
  };
}

function lookupOf(addresses: readonly string[]): LookupFunction {
  const judged = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, done) => {
    const [first] = judged;
    if (all === true) done(null, judged);
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
    const asked = request(url, {
      lookup,
      signal,
      agent: false,
      headers: { accept: 'application/xml, text/xml', 'user-agent': 'countersign' },
      ...(ca === undefined ? {} : { ca }),
    });
    asked.once('error', reject);
    // Node ends such a connection without an error, and nothing more would come.
    asked.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('it does not speak plain HTTP'));
    });
    asked.once('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      if (status !== 200) {
        asked.destroy();
        resolve({ status, location: headers.location, body: new Uint8Array() });
        return;
      }
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > BODY_BYTES_MAX) asked.destroy(new Error('its answer is too large'));
        chunks.push(chunk);
      });
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status, location: headers.location, body: Buffer.concat(chunks) }),
      );
    });
    asked.end();
  });
}

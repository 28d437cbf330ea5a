import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { checkOptions } from '../../core/contract/options.ts';
import type { DocumentSource, PublishedDocument } from '../../core/ports/document-source.ts';
import {
  AGENT_OPTIONS,
  CheckedAgent,
  type CheckedAgentOptions,
  type LimitedOptions,
} from '../remote/checked-agent.ts';
import { expectPlainAnswer } from '../remote/plain-answer.ts';
import { withTimeLimit } from '../remote/time-limit.ts';

export type { CheckedAgentOptions } from '../remote/checked-agent.ts';

/** Fetches documents by HTTP/1.1 over TLS from checked addresses only, so no client can make it reach the network inside. */
export function httpsDocuments(options: CheckedAgentOptions = {}): DocumentSource {
  checkOptions('httpsDocuments', options, AGENT_OPTIONS);
  const agent = new CheckedAgent(options);
  return {
    async fetch({ url, maxBytes, timeLimitMs }) {
      return withTimeLimit({ signal: new AbortController().signal, ms: timeLimitMs }, async (limit) => {
        try {
          return await fetchOnce(url, maxBytes, agent, limit);
        } catch {
          // The client that named the address must not learn why it cannot be fetched.
          return undefined;
        }
      });
    },
    close: async () => agent.destroy(),
  };
}

function fetchOnce(
  url: string,
  maxBytes: number,
  agent: CheckedAgent,
  limit: AbortSignal,
): Promise<PublishedDocument | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'application/json' };
    const options: LimitedOptions = { agent, signal: limit, limit: () => limit, headers };
    const outgoing = request(url, options);
    outgoing.once('error', reject);
    expectPlainAnswer(outgoing);
    outgoing.once('response', (response) => {
      if (response.statusCode !== 200 || !isJson(response.headers['content-type'])) {
        response.destroy();
        resolve(undefined);
        return;
      }
      bodyOf(response, maxBytes).then(
        (body) => resolve(body && { body, cacheControl: response.headers['cache-control'] ?? null }),
        reject,
      );
    });
    outgoing.end();
  });
}

async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    // Leaving the loop destroys the response.
    if (bytes > maxBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** `application/json`, or a type with the suffix `+json`. */
function isJson(type: string | undefined): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type ?? '');
}

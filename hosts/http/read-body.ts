import type { IncomingMessage } from 'node:http';
import { BODY_MAX_BYTES } from './body-rules.ts';
import { parsedBody } from './parsed-body.ts';

/** The caller disconnected or stopped before its body was complete. */
export class BodyLost extends Error {}

/** The body is longer than `BODY_MAX_BYTES`. */
export class BodyTooLarge extends Error {}

/** Other code read the body first and left no complete copy. Its message is the remedy. */
export class BodyTaken extends Error {
  override readonly name = 'BodyTaken';
}

const TAKEN =
  'Other code read the request body before Countersign, and left no complete copy. Mount Countersign before any body ' +
  'parser, or set rawBody (a Buffer) or body (the parsed value) of the request.';

/**
 * Reads a body. If a body parser read it first, returns what the parser left on the request.
 * @throws BodyLost, BodyTaken, BodyTooLarge
 */
export async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  if (!request.readableDidRead && !request.readableEnded && request.readableFlowing !== true) {
    return collect(request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>);
  }
  const left = parsedBody(request);
  if (left === undefined) throw new BodyTaken(TAKEN);
  if (left.length > BODY_MAX_BYTES) throw new BodyTooLarge('the parsed body is too large');
  return left;
}

/** @throws BodyLost, BodyTooLarge */
async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > BODY_MAX_BYTES) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new BodyLost('the body did not arrive', { cause });
  }
  if (bytes > BODY_MAX_BYTES) throw new BodyTooLarge('the body is too large');
  return Buffer.concat(chunks);
}

/**
 * Reads the body of a Fetch request.
 * @throws BodyLost, BodyTaken, BodyTooLarge
 */
export async function readFetchBody(request: Request): Promise<Uint8Array> {
  if (request.bodyUsed) throw new BodyTaken(TAKEN_FETCH);
  return request.body === null ? new Uint8Array() : collect(request.body);
}

const TAKEN_FETCH =
  'Other code read the request body before Countersign. Pass the request on unread, or a request.clone().';

const DISCARDED_MAX_BYTES = 4 * BODY_MAX_BYTES;

/**
 * Reads and drops the rest of an unused body, so that a connection reset does not lose the response. An endless body
 * ends the connection.
 */
export function discardBody(request: IncomingMessage): void {
  let left = DISCARDED_MAX_BYTES;
  request.on('data', (chunk: Uint8Array) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  // The caller may disconnect meanwhile. Then there is nothing left to do.
  request.on('error', () => undefined);
}

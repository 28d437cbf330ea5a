import type { IncomingMessage } from 'node:http';
import { BODY_MAX_BYTES } from './body-rules.ts';

/** The caller disconnected or stopped before its body was complete. */
export class BodyLost extends Error {}

/** Other code read the body first. The handler must come before any body parser. */
class BodyTaken extends Error {
  override readonly name = 'BodyTaken';
}

/**
 * Reads a body whose announced length is within the limit.
 * @throws BodyLost, BodyTaken
 */
export async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  if (request.readableEnded || request.readableFlowing === true) {
    throw new BodyTaken('the body was read before it reached the door');
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > BODY_MAX_BYTES) throw new Error('the body is longer than it was announced');
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new BodyLost('the body did not arrive', { cause });
  }
  return Buffer.concat(chunks);
}

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

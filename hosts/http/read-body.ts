import type { IncomingMessage } from 'node:http';
import { BODY_MAX_BYTES } from './body-rules.ts';

/** The caller went away, or stopped, before its body was complete. */
export class BodyLost extends Error {}

/** Somebody read the body before it reached the door, which must stand in front of any body parser. */
class BodyTaken extends Error {
  override readonly name = 'BodyTaken';
}

/**
 * Reads a body whose announced length was found to be within bounds.
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
 * Lets a body that nobody will read run out, so that the answer is not lost to a connection reset; one that goes
 * on and on ends the connection.
 */
export function discardBody(request: IncomingMessage): void {
  let left = DISCARDED_MAX_BYTES;
  request.on('data', (chunk: Uint8Array) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  // The caller may go away meanwhile: there is nothing left to tell it.
  request.on('error', () => undefined);
}

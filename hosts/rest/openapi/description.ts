import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { documentSteps } from './document.ts';

/** The description of the API as it is sent. */
export interface Description {
  readonly body: Uint8Array<ArrayBuffer>;
  /** A hash of the body. */
  readonly etag: string;
}

/** Builds the description in steps, with a turn of the event loop between them, because all of it takes 70 ms. */
export async function describeApi(baseUrl: string): Promise<Description> {
  const steps = documentSteps(baseUrl);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return asSent(Buffer.from(JSON.stringify(value)));
    await setImmediate();
  }
}

function asSent(body: Description['body']): Description {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

/**
 * Whether the client already has this description.
 * @param ifNoneMatch  If-None-Match of its request (RFC 9110, 13.1.2)
 */
export function isKnown({ etag }: Description, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  return (
    ifNoneMatch.trim() === '*' ||
    ifNoneMatch.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
  );
}

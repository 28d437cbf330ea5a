import type { IncomingMessage } from 'node:http';

/** What body parsers leave on a request: `rawBody` the bytes, `body` the bytes, the text or the parsed value. */
interface Parsed {
  readonly rawBody?: unknown;
  readonly body?: unknown;
}

/** An empty object with white space around it. Parsers also leave an empty object for a body that they did not parse. */
const EMPTY_OBJECT_MAX_BYTES = 4;

/**
 * Returns the body that a body parser left on a request: its bytes, or an equivalent body of the same media type.
 * Undefined if there is none, or if it is not certain that it is complete.
 */
export function parsedBody(request: IncomingMessage & Parsed): Uint8Array | undefined {
  const { rawBody, body } = request;
  const asRead = bytesOf(rawBody) ?? bytesOf(body);
  if (asRead !== undefined) return asRead;
  const length = Number(request.headers['content-length']);
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  switch (type.trim().toLowerCase()) {
    case 'application/json':
      return jsonBody(body, length);
    case 'application/x-www-form-urlencoded':
      return formBody(body, length);
    default:
      return undefined;
  }
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value === 'string') return Buffer.from(value);
  return value instanceof Uint8Array ? value : undefined;
}

function jsonBody(value: unknown, length: number): Uint8Array | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.keys(value).length === 0 && length > EMPTY_OBJECT_MAX_BYTES) return undefined;
  return Buffer.from(JSON.stringify(value));
}

/**
 * Browsers and `URLSearchParams` write a form in the same way, so a complete form has the announced length. A field with
 * several values must have them next to each other: parsers do not keep any other order.
 */
function formBody(value: unknown, length: number): Uint8Array | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = new URLSearchParams();
  for (const [name, given] of Object.entries(value)) {
    for (const one of [given].flat()) {
      if (typeof one !== 'string') return undefined;
      fields.append(name, one);
    }
  }
  const body = Buffer.from(fields.toString());
  return body.length === length ? body : undefined;
}

import { createHash, randomBytes } from 'node:crypto';

/** Digest access authentication, RFC 7616. Without `auth-int`, which almost nobody implements. */

const ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ['sha-256', 'sha256'],
  ['md5', 'md5'],
]);

export interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | undefined;
  /** As the server wrote it. Undefined: MD5. */
  readonly algorithm: string | undefined;
  /** False: a server of RFC 2069, which knows no client nonce. */
  readonly hasQop: boolean;
  /** The password may be right; only the nonce is too old. */
  readonly isStale: boolean;
}

interface DigestRequest {
  readonly user: string;
  readonly pass: string;
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly uri: string;
  /** The number of requests with this nonce, this one included. */
  readonly count: number;
}

/** Returns the strongest Digest challenge of a WWW-Authenticate header that we can answer. */
export function digestChallenge(header: string): DigestChallenge | undefined {
  const challenges = challengesIn(header).flatMap(({ scheme, values }) => {
    const realm = values.get('realm');
    const nonce = values.get('nonce');
    if (scheme !== 'digest' || realm === undefined || nonce === undefined) return [];
    const qop = values.get('qop');
    if (
      qop !== undefined &&
      !qop
        .toLowerCase()
        .split(/\s*,\s*/)
        .includes('auth')
    )
      return [];
    const algorithm = values.get('algorithm');
    if (hashOf(algorithm) === undefined) return [];
    const isStale = values.get('stale')?.toLowerCase() === 'true';
    return [{ realm, nonce, opaque: values.get('opaque'), algorithm, hasQop: qop !== undefined, isStale }];
  });
  return challenges.find(({ algorithm }) => hashOf(algorithm) === 'sha256') ?? challenges[0];
}

function hashOf(algorithm = 'MD5'): string | undefined {
  return ALGORITHMS.get(algorithm.toLowerCase());
}

/** Returns the value of the Authorization header. @param clientNonce  new for every request */
export function digestHeader(
  { realm, nonce, opaque, algorithm, hasQop }: DigestChallenge,
  { user, pass, method, uri, count }: DigestRequest,
  clientNonce: string = randomBytes(16).toString('hex'),
): string {
  const hash = (text: string) =>
    createHash(hashOf(algorithm) ?? 'md5')
      .update(text, 'utf8')
      .digest('hex');
  const secret = hash(`${user}:${realm}:${pass}`);
  const request = hash(`${method}:${uri}`);
  const nc = count.toString(16).padStart(8, '0');
  const response = hash(
    hasQop ? `${secret}:${nonce}:${nc}:${clientNonce}:auth:${request}` : `${secret}:${nonce}:${request}`,
  );
  const parts = [
    `username=${quoted(user)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    `response="${response}"`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ...(hasQop ? ['qop=auth', `nc=${nc}`, `cnonce="${clientNonce}"`] : []),
  ];
  return `Digest ${parts.join(', ')}`;
}

/** Node refuses a header with characters beyond Latin-1, so the name goes as the bytes of its UTF-8. */
function quoted(text: string): string {
  return `"${Buffer.from(text, 'utf8').toString('latin1').replace(/["\\]/g, '\\$&')}"`;
}

interface Challenge {
  readonly scheme: string;
  readonly values: ReadonlyMap<string, string>;
}

/** One token, one `name=value`, or a separator. RFC 9110, 11.6.1. */
const PART = /\s*(?:,|([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?)/y;

function challengesIn(header: string): readonly Challenge[] {
  // Node reads headers as Latin-1. RFC 7616 has names and realms in UTF-8.
  const text = Buffer.from(header, 'latin1').toString('utf8');
  const challenges: { scheme: string; values: Map<string, string> }[] = [];
  PART.lastIndex = 0;
  for (let match = PART.exec(text); match !== null && match[0] !== ''; match = PART.exec(text)) {
    const [, name, inQuotes, plain] = match;
    if (name === undefined) continue;
    const value = inQuotes?.replace(/\\(.)/g, '$1') ?? plain;
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), values: new Map() });
    else challenges.at(-1)?.values.set(name.toLowerCase(), value);
  }
  return challenges;
}

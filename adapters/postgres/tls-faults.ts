const CHOICES =
  'Write sslmode=verify-full (TLS, and the certificate is checked), sslmode=no-verify (TLS, not checked) or ' +
  'sslmode=disable (no TLS)';

/** The modes of libpq that allow a connection without TLS: node-postgres takes them for verify-full. */
const LAX_MODES: ReadonlySet<string | undefined> = new Set(['allow', 'prefer']);

const MODES: ReadonlySet<string> = new Set(['disable', 'no-verify', 'verify-full']);

/** With `uselibpqcompat=true`, these mean the same in node-postgres as in libpq. */
const COMPATIBLE_MODES: ReadonlySet<string> = new Set(['disable', 'require', 'verify-ca', 'verify-full']);

const FILES = ['sslrootcert', 'sslcert', 'sslkey'] as const;

/**
 * Finds parameters about TLS that mean something else in node-postgres than they say.
 * @param isSocket  the address leads to a socket of this machine
 * @returns what is wrong and what to write, to come after the name of the setting; undefined if they mean what they say
 */
export function tlsFault(parameters: ReadonlyMap<string, string>, isSocket: boolean): string | undefined {
  const sslmode = parameters.get('sslmode');
  const ssl = parameters.get('ssl');
  const hasFile = FILES.some((name) => parameters.has(name));
  if (ssl !== undefined && sslmode !== undefined) return 'has both ssl and sslmode. Keep sslmode';
  return (
    sslFault(ssl, hasFile) ??
    modeFault(sslmode, parameters) ??
    negotiationFault(parameters) ??
    rootFault(parameters.get('sslrootcert')) ??
    (isSocket && isEncrypted(parameters)
      ? 'asks for TLS on a socket of this machine, which has none. Remove its parameters that begin with ssl'
      : undefined)
  );
}

function sslFault(ssl: string | undefined, hasFile: boolean): string | undefined {
  switch (ssl) {
    case undefined:
    case 'true':
    case '1':
      return undefined;
    case '0':
    case 'no-verify':
      return hasFile ? `has ssl=${ssl} and the file of a certificate or key. ${CHOICES}` : undefined;
    case 'false':
      return 'has ssl=false, which node-postgres reads as yes. Write sslmode=disable';
    default:
      return `has a value of ssl that node-postgres does not know. ${CHOICES}`;
  }
}

function modeFault(mode: string | undefined, parameters: ReadonlyMap<string, string>): string | undefined {
  const compatible = parameters.get('uselibpqcompat');
  if (compatible !== undefined && compatible !== 'true' && compatible !== 'false') {
    return 'has a value of uselibpqcompat that is not true or false. Correct it';
  }
  if (mode === undefined) return undefined;
  if (compatible === 'true') {
    if (!COMPATIBLE_MODES.has(mode)) {
      return 'has uselibpqcompat=true and an sslmode that node-postgres does not know with it. Write sslmode=verify-full, verify-ca, require or disable';
    }
    return mode === 'verify-ca' && !parameters.has('sslrootcert')
      ? 'has sslmode=verify-ca without the file of the authority. Add sslrootcert=/path/of/root.crt, or write sslmode=verify-full'
      : undefined;
  }
  if (MODES.has(mode)) return undefined;
  return LAX_MODES.has(mode)
    ? `has sslmode=${mode}, which node-postgres does not read as other programs do. ${CHOICES}`
    : `has a value of sslmode that node-postgres does not know. ${CHOICES}`;
}

function negotiationFault(parameters: ReadonlyMap<string, string>): string | undefined {
  const negotiation = parameters.get('sslnegotiation');
  if (negotiation === undefined || negotiation === 'postgres') return undefined;
  if (negotiation !== 'direct')
    return 'has a value of sslnegotiation that is not postgres or direct. Correct it';
  return parameters.get('sslmode') === 'disable' || parameters.get('ssl') === '0'
    ? 'has sslnegotiation=direct, which needs TLS, and turns TLS off. Remove one of them'
    : undefined;
}

function rootFault(root: string | undefined): string | undefined {
  return root === 'system'
    ? 'has sslrootcert=system. Remove it: without it, node-postgres uses the authorities that Node knows'
    : undefined;
}

function isEncrypted(parameters: ReadonlyMap<string, string>): boolean {
  if (parameters.get('sslmode') === 'disable' || parameters.get('ssl') === '0') return false;
  return ['ssl', 'sslmode', 'sslnegotiation', ...FILES].some((name) => parameters.has(name));
}

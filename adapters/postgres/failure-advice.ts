interface Advice {
  /** The code of Postgres, of the system or of Node, or a part of the message if there is none. */
  readonly of: RegExp;
  /** The message itself says nothing to a user. */
  readonly replaces?: true;
  readonly text: string;
}

/** What whoever starts a server can do about a connection that fails. The first that fits counts. */
const ADVICE: readonly Advice[] = [
  { of: /^28P01/, text: 'Correct the user and the password in the address.' },
  {
    of: /^28000 no pg_hba.conf entry .*no encryption/,
    text: 'Allow it in pg_hba.conf. If the server demands TLS, add ?sslmode=verify-full to the address.',
  },
  { of: /^28000 no pg_hba.conf entry/, text: 'Allow it in the pg_hba.conf of the server.' },
  { of: /^28000 role .* does not exist/, text: 'Create it: CREATE ROLE name LOGIN PASSWORD …' },
  { of: /^28000 role .* is not permitted to log in/, text: 'Allow it: ALTER ROLE name LOGIN' },
  { of: /^28/, text: 'Allow this sign-in in the pg_hba.conf of the server, or correct the address.' },
  { of: /^3D000/, text: 'Create it, or correct the address: CREATE DATABASE name' },
  { of: /^42501 permission denied for database/, text: 'Allow it: GRANT CONNECT ON DATABASE name TO role' },
  {
    of: /^53300/,
    text: 'Stop other programs, or raise the limit: max_connections of the server, or CONNECTION LIMIT of the role or database. A process of Countersign uses up to 11.',
  },
  { of: /^57P03/, text: 'Try again in a moment.' },
  { of: /^57014/, text: 'Raise statement_timeout of the role or the database.' },
  {
    of: /^08P01 unsupported startup parameter/,
    text: 'The pooler does not take it. Remove it from the address, or add it to ignore_startup_parameters of pgbouncer.',
  },
  { of: /^ECONNREFUSED/, text: 'Nothing listens there. Start Postgres, or correct the host and the port.' },
  { of: /^(ENOTFOUND|EAI_AGAIN)/, text: 'The name of the host is not found. Correct it.' },
  {
    of: /^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)/,
    text: 'There is no way to it. Correct the host, or open the firewall.',
  },
  { of: /^ENOENT/, text: 'There is no socket. Start Postgres, or correct its folder and port.' },
  { of: /^EACCES/, text: 'This user may not use the socket.' },
  {
    of: /timeout expired|timeout exceeded when trying to connect/,
    replaces: true,
    text: 'it did not answer within 5 seconds. Correct the host and the port, or open the firewall.',
  },
  {
    of: /client password must be a (non-empty )?string/,
    replaces: true,
    text: 'the server asks for a password, and the address has none. Write it like postgres://user:password@host/name.',
  },
  {
    of: /server does not support SSL/,
    replaces: true,
    text: 'the server has no TLS. Turn on its ssl, or write sslmode=disable in the address.',
  },
  {
    of: /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_)/,
    text: 'If its authority is your own, add sslrootcert=/path/of/root.crt to the address.',
  },
  { of: /^ERR_TLS_CERT_ALTNAME_INVALID/, text: 'Write the host by a name in the certificate.' },
  {
    of: /Connection terminated unexpectedly|Received unexpected/,
    replaces: true,
    text: 'it closed the connection before it answered. Correct the host and the port, or try again.',
  },
];

/**
 * Adds what to do to the reason why a database cannot be used.
 * @param error  of the driver, the server, the system or Countersign
 * @returns the message, which never includes a password, and the advice
 */
export function withAdvice(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code} ` : '';
  const known = ADVICE.find(({ of }) => of.test(`${code}${error.message}`));
  if (known === undefined) return error.message;
  return known.replaces ? known.text : `${error.message.replace(/\.$/, '')}. ${known.text}`;
}

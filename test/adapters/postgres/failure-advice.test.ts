import { describe, expect, it } from 'vitest';
import { withAdvice } from '../../../adapters/postgres/failure-advice.ts';

/** Failures that no server of the tests has. The others are met on servers, in test/hosts/server/postgres-addresses.test.ts. */
const FAILURES: readonly (readonly [code: string | undefined, message: string, told: string])[] = [
  [
    undefined,
    'timeout expired',
    'it did not answer within 5 seconds. Correct the host and the port, or open the firewall.',
  ],
  [
    undefined,
    'The server does not support SSL connections',
    'the server has no TLS. Turn on its ssl, or write sslmode=disable in the address.',
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'Hostname/IP does not match certificate',
    'Hostname/IP does not match certificate. Write the host by a name in the certificate.',
  ],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'unable to verify the first certificate',
    'unable to verify the first certificate. If its authority is your own, add sslrootcert=/path/of/root.crt to the address.',
  ],
  [
    'EHOSTUNREACH',
    'connect EHOSTUNREACH 192.0.2.1:5432',
    'connect EHOSTUNREACH 192.0.2.1:5432. There is no way to it. Correct the host, or open the firewall.',
  ],
  [
    'EACCES',
    'connect EACCES /run/.s.PGSQL.5432',
    'connect EACCES /run/.s.PGSQL.5432. This user may not use the socket.',
  ],
  [
    '57P03',
    'the database system is starting up',
    'the database system is starting up. Try again in a moment.',
  ],
  [
    '57014',
    'canceling statement due to statement timeout',
    'canceling statement due to statement timeout. Raise statement_timeout of the role or the database.',
  ],
  [
    '08P01',
    'unsupported startup parameter: options',
    'unsupported startup parameter: options. The pooler does not take it. Remove it from the address, or add it to ignore_startup_parameters of pgbouncer.',
  ],
  [
    '53300',
    'sorry, too many clients already',
    'sorry, too many clients already. Stop other programs, or raise the limit',
  ],
  ['XX000', 'Tenant or user not found', 'Tenant or user not found'],
];

describe('a connection to Postgres that fails', () => {
  it.each(FAILURES)('with %s, %s, says what to do', (code, message, told) => {
    const error = Object.assign(new Error(message), code === undefined ? {} : { code });
    expect(withAdvice(error)).toContain(told);
    expect(withAdvice(error)).not.toContain('\n');
  });
});

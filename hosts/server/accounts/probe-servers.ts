import { providerOfHost } from '../../../adapters/discovery/providers.ts';
import type { Reach } from '../../../adapters/remote/connect.ts';
import { probeServer, type ProbedServer as Server } from '../../../adapters/remote/probe.ts';
import type { AccountServers, ProbedServer } from '../../dashboard/accounts/account-fields.ts';

/** Looks at the servers of an account before it gets a password. */
export async function probeServers(
  { imap, smtp, caldav, fingerprint }: AccountServers,
  reach: Reach,
): Promise<readonly ProbedServer[]> {
  const { signal } = new AbortController();
  const calendar = caldav && calendarServer(caldav.url);
  const mailHosts = [imap.host, smtp.host];
  const servers: readonly (readonly [ProbedServer['server'], Server])[] = [
    ['imap', { ...imap, protocol: 'IMAP', tlsFingerprint: imap.fingerprint ?? fingerprint }],
    ['smtp', { ...smtp, protocol: 'SMTP', tlsFingerprint: smtp.fingerprint ?? fingerprint }],
    ...(calendar === undefined
      ? []
      : [
          [
            'caldav',
            {
              ...calendar,
              tlsFingerprint:
                caldav?.fingerprint ?? (mailHosts.includes(calendar.host) ? fingerprint : undefined),
            },
          ] as const,
        ]),
  ];
  return Promise.all(
    servers.map(async ([server, probed]): Promise<ProbedServer> => {
      const probe = await probeServer(probed, reach, signal);
      if (probe.kind === 'good') return { server, kind: 'good' };
      if (probe.kind === 'problem') return { server, kind: 'problem', text: probe.error.forOwner };
      const isKnown = providerOfHost(probed.host.toLowerCase()) !== undefined;
      return { server, kind: 'untrusted', fingerprint: probe.fingerprint, because: probe.because, isKnown };
    }),
  );
}

/** Undefined for plain http, which stays on this machine and has no certificate. */
function calendarServer(url: string): Server | undefined {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return undefined;
  const host = hostname.replace(/^\[|\]$/g, '');
  return { protocol: 'CalDAV', host, port: port === '' ? 443 : Number(port), security: 'tls' };
}

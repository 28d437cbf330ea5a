import type { AccountServers, ProbedServer } from './account-fields.ts';

export const SERVER_TITLES = { imap: 'IMAP', smtp: 'SMTP', caldav: 'CalDAV' } as const;

/** Where a server of an account is: `host:port`, or its URL. */
export function serverAddress(servers: AccountServers, server: ProbedServer['server']): string {
  if (server === 'caldav') return servers.caldav?.url ?? '';
  const { host, port } = servers[server];
  return `${host}:${port}`;
}

/** A SHA-256 fingerprint as other programs show it: `3F:13:61…` */
export function fingerprintText(fingerprint: string): string {
  return (fingerprint.toUpperCase().match(/../g) ?? []).join(':');
}

/** Why a server whose certificate cannot be verified must not be trusted: its provider is known. */
export function impostorText(because: string): string {
  return (
    `its certificate is not verified, because ${because}. Countersign knows this provider, whose certificates always are: ` +
    'somebody may be in between.'
  );
}

import { documentText, withTable } from '../docs/documents.ts';
import { CHECKS, type Check, CLIENTS, type TriedClient, versionOf } from './tried-clients.ts';

/** The page with the table of clients. */
export const CLIENT_PAGE = 'docs/assistants.md';

/** The first cells of the table's head. */
export const CLIENT_HEAD = ['Client', 'Version', 'Revision'] as const;

/** The cells of a client. `—`: it has no way to do this. */
export function cellsOf(client: TriedClient, held: (check: Check) => boolean): string[] {
  const checks = (Object.keys(CHECKS) as Check[]).map((check) => {
    if (client.lacks?.includes(check)) return '—';
    return held(check) ? 'yes' : 'no';
  });
  return [`\`${client.name}\``, versionOf(client), client.revision, ...checks, client.note ?? ''];
}

/** The page with the table of what held. */
export function pageWith(held: (client: TriedClient, check: Check) => boolean): string {
  const head = [...CLIENT_HEAD, ...Object.values(CHECKS), 'Note'];
  const rows = CLIENTS.map((client) => cellsOf(client, (check) => held(client, check)));
  return withTable(documentText(CLIENT_PAGE), CLIENT_HEAD, [head, ...rows]);
}

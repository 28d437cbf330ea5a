import type { SearchObject } from 'imapflow';
import type { ListedMessage } from '../../core/mail/listed-message.ts';
import { DAY_MS } from '../../core/time/durations.ts';
import type { AccountConnections } from './account-connections.ts';
import { inEachFolder } from './each-folder.ts';
import type { SearchScope } from './folders.ts';
import { missingParts } from './missing-parts.ts';
import type { ReceivedDates } from './received-dates.ts';
import { fetchRowsOf } from './rows.ts';
import type { OpenFolder } from './session.ts';
import { searchUids } from './uid-search.ts';

export interface WantedMessage {
  readonly stableId: string | null;
  readonly internalDate: Date;
  readonly sizeBytes: number;
}

/**
 * Searches every folder for possible copies of the message.
 * @throws MailError also if there is none in the folders that the server shows, and it refuses another
 */
export async function findMessage(
  connections: AccountConnections,
  scopes: readonly SearchScope[],
  wanted: WantedMessage,
  dates: ReceivedDates,
  limit: AbortSignal,
): Promise<ListedMessage[]> {
  const missing = missingParts();
  const inFolder = async (folder: OpenFolder, { only }: SearchScope) => {
    if (folder.mailbox.exists === 0) return [];
    const rows = await fetchRowsOf(folder, await candidates(folder, only, wanted, dates));
    return rows.filter((row) => mayBe(row, wanted));
  };
  const inEach = await inEachFolder(connections, scopes, limit, inFolder, missing);
  const found = inEach.flatMap((rows) => rows ?? []);
  if (found.length === 0) missing.throwIfNothingElse(1);
  return found;
}

async function candidates(
  folder: OpenFolder,
  only: SearchObject,
  { stableId, internalDate }: WantedMessage,
  dates: ReceivedDates,
): Promise<number[]> {
  if (stableId !== null) return searchUids(folder.client, { ...only, emailId: stableId });
  const ms = internalDate.getTime();
  // Not by size: Courier (5.0) compares a different one from the size that it reports. Days follow the
  // server's clock: one more on each side.
  const uids = await searchUids(folder.client, {
    ...only,
    since: new Date(ms - DAY_MS),
    before: new Date(ms + 2 * DAY_MS),
  });
  const received = await dates.of(folder, uids);
  return [...received].flatMap(([uid, receivedMs]) => (seconds(receivedMs) === seconds(ms) ? [uid] : []));
}

function mayBe(row: ListedMessage, { stableId, internalDate, sizeBytes }: WantedMessage): boolean {
  if (stableId !== null) return row.stableId === stableId;
  return (
    row.sizeBytes === sizeBytes && seconds(row.internalDate.getTime()) === seconds(internalDate.getTime())
  );
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

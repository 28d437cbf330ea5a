import type { ImapFlow, SearchObject } from 'imapflow';
import type { MailFolder, MessageRow } from '../../core/ports/mail.ts';
import { fetchRowsOf, searchUids } from './rows.ts';
import { openAnother } from './session.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface WantedMessage {
  readonly stableId: string | null;
  readonly internalDate: Date;
  readonly sizeBytes: number;
}

/** Looks into every folder for what may be that message. */
export async function findMessage(
  client: ImapFlow,
  folders: readonly MailFolder[],
  wanted: WantedMessage,
): Promise<MessageRow[]> {
  const found: MessageRow[] = [];
  for (const { path } of folders) {
    const folder = await openAnother(client, path);
    if (folder.mailbox.exists === 0) continue;
    const rows = await fetchRowsOf(folder, await searchUids(client, searchFor(wanted)));
    found.push(...rows.filter((row) => mayBe(row, wanted)));
  }
  return found;
}

function searchFor({ stableId, internalDate, sizeBytes }: WantedMessage): SearchObject {
  if (stableId !== null) return { emailId: stableId };
  const ms = internalDate.getTime();
  return {
    // Days as the server's clock shows them: one more on both sides.
    since: new Date(ms - DAY_MS),
    before: new Date(ms + 2 * DAY_MS),
    larger: sizeBytes - 1,
    smaller: sizeBytes + 1,
  };
}

function mayBe(row: MessageRow, { stableId, internalDate, sizeBytes }: WantedMessage): boolean {
  if (stableId !== null) return row.stableId === stableId;
  return row.sizeBytes === sizeBytes && seconds(row.internalDate) === seconds(internalDate);
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

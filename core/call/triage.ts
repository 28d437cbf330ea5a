import { type ReadMessage, readingUntilMs, readMessages } from '../accounts/read-message.ts';
import type { MessageRow } from '../mail/message-row.ts';
import type { Account } from '../ports/account.ts';
import { withoutIds } from '../text/id-look-alikes.ts';
import { oneLine } from '../text/one-line.ts';
import { seenText } from '../text/seen-text.ts';
import { shortened } from '../text/shortened.ts';
import type { CallContext } from './context.ts';
import { type AccountRow, nameAccountOnFailure } from './mailbox.ts';
import { flagsOf } from './message-details.ts';

/** What a list says of its messages besides their rows, so that an agent need not read each to choose. */

const PEOPLE_SHOWN = 3;
const ADDRESS_CHARS = 100;
const NAMES_SHOWN = 5;
const NAME_CHARS = 60;
const SNIPPET_CHARS = 120;
/** Runs of white space become one space. */
const WINDOW = { from: 0, most: 1000 };

/** Messages up to this size are fetched as for a read of one of them, and kept for it. Of others, only the texts are. */
const WHOLE_BYTES = 64 * 1024;

/** What is absent is not known, or there is none of it. */
export type Triage = ReturnType<typeof triage>;

/** In the order of the rows. @throws ServiceError as lists do */
export async function triageOf(context: CallContext, rows: readonly AccountRow[]): Promise<Triage[]> {
  const accounts = [...new Set(rows.map(({ account }) => account))];
  const read = await Promise.all(
    accounts.map((account) => {
      const own = rows.filter((one) => one.account === account).map(({ row }) => row);
      return nameAccountOnFailure(account, 'folder', messagesOf(context, account, own));
    }),
  );
  const messages = new Map(read.flatMap((some) => [...some]));
  return rows.map(({ row }) => triage(row, messages.get(row)));
}

/** The messages of the rows that are still there. */
async function messagesOf(context: CallContext, account: Account, rows: readonly MessageRow[]) {
  const { mail, reader, clock } = context.ports;
  const reading = { window: WINDOW, untilMs: readingUntilMs(context) };
  const read = new Map<MessageRow, ReadMessage>();
  const take = async (readAll: typeof mail.readAll, wanted: readonly MessageRow[]) => {
    const left = wanted.values();
    const ports = { mail: { readAll }, reader, clock };
    for await (const message of readMessages(ports, context.mailCall(account), wanted, reading)) {
      const { value: row } = left.next();
      if (row !== undefined && message !== undefined) read.set(row, message);
    }
  };
  const isShort = ({ sizeBytes }: MessageRow) => sizeBytes <= WHOLE_BYTES;
  await take(mail.readAll, rows.filter(isShort));
  await take(
    mail.readOnlyTexts,
    rows.filter((row) => !isShort(row)),
  );
  return read;
}

function triage({ flags }: MessageRow, message: ReadMessage | undefined) {
  if (message === undefined) return { ...flagsOf(flags) };
  const { headers, attachments, body, unreadable } = message;
  const to = headers.to
    .slice(0, PEOPLE_SHOWN)
    .map(({ address }) => shortened(seenText(oneLine(address)), ADDRESS_CHARS));
  const names = attachments.slice(0, NAMES_SHOWN).map(({ name }) => shortened(seenText(name), NAME_CHARS));
  const snippet = shortened(withoutIds(oneLine(body.text)), SNIPPET_CHARS);
  return {
    ...(to.length > 0 && { to, to_count: headers.to.length }),
    ...flagsOf(flags),
    ...(names.length > 0 && { attachment_count: attachments.length, attachment_names: names }),
    ...(unreadable === null && { list: headers.isFromList === true }),
    ...(snippet !== '' && { snippet }),
  };
}

/** What third parties wrote of it. */
export function triageWords({ to = [], attachment_names: names = [], snippet = '' }: Triage): string {
  return [...to, ...names, snippet].join('\n').trim();
}

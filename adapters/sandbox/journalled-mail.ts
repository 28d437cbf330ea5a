import { Buffer } from 'node:buffer';
import type { MailAccount } from '../../core/ports/mail.ts';
import type { Outgoing } from '../../core/ports/mail-sending.ts';
import type { JournalEntry } from './journal.ts';
import {
  addFolder,
  type Letter,
  type Mailbox,
  messageOf,
  moveTo,
  put,
  readLetter,
  setFlagOf,
} from './mailbox.ts';

/** A mailbox with its journal, restored from the journal. */

export interface Transmission {
  readonly ownerId: string;
  readonly accountId: number;
  readonly messageId: string;
  readonly requestId: string | null;
  readonly to: readonly string[];
  readonly date: Date;
  /** With its Date header. */
  readonly raw: Uint8Array;
}

/** Delivers a message that the account sends to itself to its inbox. */
export function arrive(mailbox: Mailbox, letter: Letter, entry: TransmittedEntry, email: string): void {
  const own = email.toLowerCase();
  if (entry.to.some((address) => address.toLowerCase() === own)) put(mailbox, 'INBOX', letter, []);
}

type TransmittedEntry = Extract<JournalEntry, { event: 'transmitted' }>;

export function transmittedEntry(account: MailAccount, message: Outgoing, letter: Letter): TransmittedEntry {
  const raw = Buffer.from(letter.raw);
  return {
    event: 'transmitted',
    ownerId: account.ownerId,
    accountId: account.accountId,
    messageId: message.messageId,
    requestId: /^X-Countersign-Request: (.*)\r$/m.exec(raw.toString('latin1'))?.[1] ?? null,
    to: [...message.envelope.to],
    date: message.date.toISOString(),
    raw: raw.toString('base64'),
  };
}

export function transmissionOf(entry: TransmittedEntry): Transmission {
  const { event: _event, date, raw, ...same } = entry;
  return { ...same, date: new Date(date), raw: Buffer.from(raw, 'base64') };
}

export function openingOf(entries: readonly JournalEntry[]): Date | undefined {
  const opened = entries.find(({ event }) => event === 'opened');
  return opened?.event === 'opened' ? new Date(opened.at) : undefined;
}

export async function replay(
  mailbox: Mailbox,
  entry: Exclude<JournalEntry, { event: 'opened' }>,
  email: string,
): Promise<void> {
  switch (entry.event) {
    case 'transmitted':
      return arrive(
        mailbox,
        readLetter(Buffer.from(entry.raw, 'base64'), new Date(entry.date)),
        entry,
        email,
      );
    case 'appended': {
      const letter = readLetter(Buffer.from(entry.raw, 'base64'), new Date(entry.receivedAt));
      return put(mailbox, entry.path, letter, entry.flags);
    }
    case 'flagged':
      return setFlagOf(messageOf(mailbox, entry.path, entry.uid), entry.flag, entry.on);
    case 'moved':
      return moveTo(mailbox, entry.path, entry.uid, entry.to);
    case 'labelled':
      messageOf(mailbox, entry.path, entry.uid).keywords.add(entry.label);
      return;
    case 'folder':
      addFolder(mailbox, entry.path);
  }
}

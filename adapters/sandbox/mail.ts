import { Buffer } from 'node:buffer';
import { checkOptions } from '../../core/contract/options.ts';
import type { ListedMessage, MessagePlace } from '../../core/mail/listed-message.ts';
import { isSentTo, sentCopyOf } from '../../core/mail/sent-copy.ts';
import { announcedVisits, type Watch } from '../../core/ports/announced-visits.ts';
import { type MailAccount, type MailCall, MailError } from '../../core/ports/mail.ts';
import { type RawMessage, SENT_COPIES_MAX } from '../../core/ports/mail-reading.ts';
import type { OpenInbox } from '../../core/ports/mail-watching.ts';
import type { Mail } from '../../core/ports/ports.ts';
import { letterForm } from '../../core/text/letter-form.ts';
import { begin } from './begin.ts';
import { refuseEnded } from './ended-call.ts';
import { mailEntry, openJournal, record } from './journal.ts';
import {
  arrive,
  openingOf,
  replay,
  type Transmission,
  transmissionOf,
  transmittedEntry,
} from './journalled-mail.ts';
import {
  addFolder,
  emptyMailbox,
  folderOf,
  foldersOf,
  isUnread,
  type Letter,
  listed,
  type Mailbox,
  messageOf,
  moveTo,
  put,
  readLetter,
  type StoredMessage,
  setFlagOf,
} from './mailbox.ts';
import { sampleMail } from './sample-mail.ts';
import { rawOf, type SampleMessage } from './sample-message.ts';
import { conversation, everyMessage, searched } from './search.ts';

export interface SandboxOptions {
  /** The mail of a new mailbox, given the account's address. */
  readonly samples?: (owner: string) => readonly SampleMessage[];
  readonly now?: () => Date;
  /**
   * Records every event, so that a sandbox in another process with the same file shows the same mailboxes.
   */
  readonly journalFile?: string;
}

/** The sandbox, with what senders, recipients and other programs outside the service see of it. */
export interface SandboxMail extends Mail {
  /** Puts a message into a folder, unread. */
  deliver(account: MailAccount, path: string, raw: Uint8Array, receivedAt?: Date): Promise<void>;
  /** Returns the stored messages of a folder, oldest first. */
  messages(account: MailAccount, path: string): Promise<readonly Uint8Array[]>;
  /** Returns the keywords of the messages of a folder, oldest first. */
  keywords(account: MailAccount, path: string): Promise<readonly (readonly string[])[]>;
  /** Returns the transmissions of all accounts, oldest first. */
  transmitted(): readonly Transmission[];
}

const REFUSED = 'refused@sandbox.invalid';

const PUT_OFF = 'tempfail@sandbox.invalid';

const REFUSED_AFTER = 'after@sandbox.invalid';

const LOST = 'lost@sandbox.invalid';

/**
 * A mailbox in memory for every account, with sample mail and a sender that delivers nothing. It never reads
 * settings or passwords. Mail to the account's own address arrives in its inbox.
 *
 * Some recipients cause what a real server does not do on demand:
 *
 * | recipient | transmit |
 * |---|---|
 * | `refused@sandbox.invalid` | `refused`, before `start` |
 * | `tempfail@sandbox.invalid` | `unavailable`, before `start` |
 * | `after@sandbox.invalid` | `refused`, after `start`; nothing was delivered |
 * | `lost@sandbox.invalid` | `outcome_unknown`, after `start`; the message was delivered |
 *
 * If the journal cannot be written, the error is `outcome_unknown`, because the entry may or may not be on
 * disk.
 */
export function sandboxMail(options: SandboxOptions = {}): SandboxMail {
  checkOptions('sandboxMail', options, {
    samples: ['optional', 'function'],
    now: ['optional', 'function'],
    journalFile: ['optional', 'string'],
  });
  const { samples = sampleMail, now = () => new Date(), journalFile } = options;
  const journal = openJournal(journalFile, mailEntry);
  const openedAt = openingOf(journal.entries) ?? now();
  if (openingOf(journal.entries) === undefined) {
    journal.append({ event: 'opened', at: openedAt.toISOString() });
  }
  // Dates of the sample mail count from the opening, so another opening is another mailbox.
  const uidValidity = String(Math.floor(openedAt.getTime() / 1000));
  const transmissions = journal.entries.flatMap((entry) =>
    entry.event === 'transmitted' ? [transmissionOf(entry)] : [],
  );
  const mailboxes = new Map<string, Promise<Mailbox>>();
  const watches = new Map<Watch, Pick<MailAccount, 'ownerId' | 'accountId'>>();

  function mailboxOf(account: MailAccount): Promise<Mailbox> {
    const key = JSON.stringify([account.ownerId, account.accountId]);
    const mailbox = mailboxes.get(key) ?? openMailbox(account);
    mailboxes.set(key, mailbox);
    return mailbox;
  }

  async function openMailbox({ ownerId, accountId, email }: MailAccount): Promise<Mailbox> {
    const mailbox = emptyMailbox();
    const oldestFirst = [...samples(email)].sort((a, b) => b.minutesAgo - a.minutesAgo);
    for (const sample of oldestFirst) {
      const receivedAt = new Date(openedAt.getTime() - sample.minutesAgo * 60_000);
      const letter = readLetter(rawOf(sample, receivedAt), receivedAt);
      put(mailbox, sample.folder, letter, sample.flags ?? ['seen']);
    }
    for (const entry of journal.entries) {
      if (entry.event === 'opened' || entry.ownerId !== ownerId || entry.accountId !== accountId) continue;
      await replay(mailbox, entry, email);
    }
    return mailbox;
  }

  async function mailboxFor(call: MailCall): Promise<Mailbox> {
    const mailbox = await mailboxOf(call.account);
    refuseEnded(call);
    return mailbox;
  }

  function append(mailbox: Mailbox, account: MailAccount, path: string, letter: Letter, read: boolean): void {
    const { ownerId, accountId } = account;
    const flags = read ? (['seen'] as const) : [];
    folderOf(mailbox, path);
    record(journal, {
      event: 'appended',
      ownerId,
      accountId,
      path,
      receivedAt: letter.receivedAt.toISOString(),
      flags: [...flags],
      raw: Buffer.from(letter.raw).toString('base64'),
    });
    put(mailbox, path, letter, flags);
  }

  function at(mailbox: Mailbox, place: MessagePlace): StoredMessage {
    if (place.uidValidity !== uidValidity) {
      throw new MailError('not_found', 'The folder was replaced: its UIDVALIDITY has changed.');
    }
    return messageOf(mailbox, place.path, place.uid);
  }

  function lookUp(mailbox: Mailbox, place: MessagePlace): StoredMessage | undefined {
    if (place.uidValidity !== uidValidity) return undefined;
    return mailbox.get(place.path)?.messages.find(({ uid }) => uid === place.uid);
  }

  async function atPlaces<T>(
    call: MailCall,
    places: readonly MessagePlace[],
    of: (path: string, message: StoredMessage) => T,
  ): Promise<(T | undefined)[]> {
    const mailbox = await mailboxFor(call);
    return places.map((place) => {
      const message = lookUp(mailbox, place);
      return message && of(place.path, message);
    });
  }

  function rawMessage(path: string, message: StoredMessage): RawMessage {
    return { row: rowOf(path, message), source: { kind: 'whole', bytes: message.raw } };
  }

  function rowOf(
    path: string,
    { uid, header, receivedAt, raw, flags, keywords }: StoredMessage,
  ): ListedMessage {
    const place = { path, uidValidity, uid };
    const sizeBytes = raw.length;
    return {
      ...{ place, stableId: null, header, internalDate: receivedAt, sizeBytes, flags: new Set(flags) },
      ...(keywords.size > 0 && { labels: [...keywords] }),
    };
  }

  function openInbox(mailbox: Mailbox): OpenInbox {
    const { nextUid, messages } = folderOf(mailbox, 'INBOX');
    return {
      uidValidity,
      uidNext: nextUid,
      arrivals: async (uid, limit) =>
        messages
          .filter((message) => message.uid > uid)
          .slice(0, limit)
          .map((message) => rowOf('INBOX', message)),
    };
  }

  function endWatches(isOver: (account: Pick<MailAccount, 'ownerId' | 'accountId'>) => boolean): void {
    for (const [watch, account] of watches) {
      if (isOver(account)) watch.end(new MailError('unavailable', 'The connections were closed.'));
    }
  }

  return {
    async verify(call) {
      refuseEnded(call);
    },

    async folders(call) {
      return foldersOf(await mailboxFor(call));
    },

    async counts(call) {
      const mailbox = await mailboxFor(call);
      return foldersOf(mailbox).map((folder) => {
        const { messages } = folderOf(mailbox, folder.path);
        return { ...folder, unread: messages.filter(isUnread).length, total: messages.length };
      });
    },

    async list(call, query) {
      const { messages } = folderOf(await mailboxFor(call), query.path);
      if (![undefined, null, uidValidity].includes(query.after?.uidValidity)) {
        throw new MailError('not_found', 'The folder was replaced: its UIDVALIDITY has changed.');
      }
      const { behind, total } = listed(messages, query);
      const rows = behind.slice(0, query.limit).map((message) => rowOf(query.path, message));
      return { rows, more: behind.length > rows.length, total };
    },

    async read(call, place) {
      return rawMessage(place.path, at(await mailboxFor(call), place));
    },

    readAll: (call, places) => atPlaces(call, places, rawMessage),

    async row(call, place) {
      const message = lookUp(await mailboxFor(call), place);
      return message && rowOf(place.path, message);
    },

    readTexts: (call, places) => atPlaces(call, places, rawMessage),

    rows: (call, places) => atPlaces(call, places, rowOf),

    async states(call) {
      return [...(await mailboxFor(call))].map(([path, { nextUid, messages }]) => ({
        ...{ path, isPart: false, uidValidity, uidNext: nextUid },
        state: `${nextUid} ${messages.length}`,
      }));
    },

    async uids(call, { path, unread }) {
      const { messages } = folderOf(await mailboxFor(call), path);
      const shown = unread ? messages.filter(isUnread) : messages;
      return { uidValidity, uids: shown.map(({ uid }) => uid) };
    },

    async find(call, { internalDate, sizeBytes }) {
      const arrivedS = Math.floor(internalDate.getTime() / 1000);
      return [...(await mailboxFor(call))].flatMap(([path, { messages }]) =>
        messages
          .map((message) => rowOf(path, message))
          .filter((row) => row.sizeBytes === sizeBytes && row.internalDate.getTime() === arrivedS * 1000),
      );
    },

    async search(call, query) {
      const mailbox = await mailboxFor(call);
      if (query.path !== undefined) folderOf(mailbox, query.path);
      const { behind, total } = await searched(everyMessage(mailbox), query);
      const page = behind.slice(0, query.limit);
      const rows = page.map(({ path, message }) => rowOf(path, message));
      return { rows, more: behind.length > rows.length, total };
    },

    async thread(call, place) {
      const mailbox = await mailboxFor(call);
      const begun = at(mailbox, place);
      const located = everyMessage(mailbox);
      const found = located.filter(({ message }) => message === begun);
      return conversation(located, found).map(({ path, message }) => rowOf(path, message));
    },

    async attachment(call, place) {
      return { kind: 'whole', bytes: at(await mailboxFor(call), place).raw };
    },

    async move(call, place, to, start) {
      const mailbox = await mailboxFor(call);
      at(mailbox, place);
      folderOf(mailbox, to);
      await begin(start);
      if (to === place.path) return;
      const { ownerId, accountId } = call.account;
      record(journal, { event: 'moved', ownerId, accountId, path: place.path, uid: place.uid, to });
      moveTo(mailbox, place.path, place.uid, to);
    },

    // Every label is a keyword here, whatever its characters. One with the same letters in another form is the same.
    async label(call, place, { name }, start) {
      const mailbox = await mailboxFor(call);
      const message = at(mailbox, place);
      const label = labelLike(mailbox, name) ?? name;
      await begin(start);
      const { ownerId, accountId } = call.account;
      record(journal, { event: 'labelled', ownerId, accountId, path: place.path, uid: place.uid, label });
      message.keywords.add(label);
      return 'keyword';
    },

    async createFolder(call, name) {
      const mailbox = await mailboxFor(call);
      if (mailbox.has(name)) return name;
      const { ownerId, accountId } = call.account;
      record(journal, { event: 'folder', ownerId, accountId, path: name });
      addFolder(mailbox, name);
      return name;
    },

    async sentCopies(call, path, addresses) {
      const messages = (await mailboxFor(call)).get(path)?.messages ?? [];
      const own = call.account.email.toLowerCase();
      const copies = messages.map(({ header }) => ({ header, ...sentCopyOf(header) }));
      return addresses.flatMap((address) =>
        copies
          .filter((copy) => copy.from.includes(own) && isSentTo(copy, address))
          .slice(-SENT_COPIES_MAX)
          .reverse()
          .map(({ header }) => header),
      );
    },

    async transmit(call, message, start) {
      const mailbox = await mailboxFor(call);
      const letter = readLetter(message.bytes, message.date);
      const recipients = new Set(message.envelope.to.map((address) => address.toLowerCase()));
      if (recipients.has(REFUSED)) throw new MailError('refused', 'The server refused a recipient.');
      if (recipients.has(PUT_OFF)) throw new MailError('unavailable', 'The server asked to try again later.');
      refuseEnded(call);
      await begin(start);
      if (recipients.has(REFUSED_AFTER)) throw new MailError('refused', 'The server refused the message.');
      const entry = transmittedEntry(call.account, message, letter);
      record(journal, entry);
      transmissions.push(transmissionOf(entry));
      arrive(mailbox, letter, entry, call.account.email);
      if (recipients.has(LOST)) {
        throw new MailError('outcome_unknown', 'The connection ended before the answer came.');
      }
    },

    async saveSent(call, path, message) {
      const letter = readLetter(message.bytes, message.date);
      const mailbox = await mailboxFor(call);
      if (folderOf(mailbox, path).messages.some(has(message.messageId))) return;
      append(mailbox, call.account, path, letter, true);
    },

    async messageWithId(call, path, messageId) {
      const found = (await mailboxFor(call)).get(path)?.messages.find(has(messageId));
      return found && rowOf(path, found);
    },

    async setFlag(call, place, flag, on, start) {
      const message = at(await mailboxFor(call), place);
      await begin(start);
      const { ownerId, accountId } = call.account;
      record(journal, { event: 'flagged', ownerId, accountId, path: place.path, uid: place.uid, flag, on });
      setFlagOf(message, flag, on);
      return true;
    },

    async watchInbox({ account, signal }, visit) {
      const mailbox = await mailboxOf(account);
      const { watchers } = folderOf(mailbox, 'INBOX');
      return announcedVisits(
        signal,
        () => visit(openInbox(mailbox)),
        (watch) => {
          watchers.add(watch.announce);
          watches.set(watch, account);
          return () => {
            watchers.delete(watch.announce);
            watches.delete(watch);
          };
        },
      );
    },

    async visitInbox(call, visit) {
      await visit(openInbox(await mailboxFor(call)));
    },

    // The mailbox belongs to the server and stays.
    async forget(ownerId, accountId) {
      endWatches((account) => account.ownerId === ownerId && account.accountId === accountId);
    },

    async close() {
      endWatches(() => true);
      journal.close();
    },

    async deliver(account, path, raw, receivedAt = now()) {
      const letter = readLetter(raw, receivedAt);
      append(await mailboxOf(account), account, path, letter, false);
    },

    async messages(account, path) {
      return folderOf(await mailboxOf(account), path).messages.map(({ raw }) => raw);
    },

    async keywords(account, path) {
      return folderOf(await mailboxOf(account), path).messages.map(({ keywords }) => [...keywords]);
    },

    transmitted: () => [...transmissions],
  };
}

function labelLike(mailbox: Mailbox, name: string): string | undefined {
  const form = letterForm(name);
  const messages = [...mailbox.values()].flatMap((folder) => folder.messages);
  return messages.flatMap(({ keywords }) => [...keywords]).find((label) => letterForm(label) === form);
}

function has(messageId: string): (message: StoredMessage) => boolean {
  return ({ headers }) => headers.messageId === messageId;
}

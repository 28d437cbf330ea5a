import { afterEach, beforeEach, describe } from 'vitest';
import type { MailAccount, MailCall } from '../../core/ports/mail.ts';
import type { Mail } from '../../core/ports/ports.ts';
import { pathOfRole } from '../folder-roles.ts';
import { changePromises } from './mail/changes.ts';
import { contentPromises } from './mail/contents.ts';
import { endingPromises } from './mail/ending.ts';
import { findPromises } from './mail/find.ts';
import { flagPromises } from './mail/flags.ts';
import { folderPromises } from './mail/folders.ts';
import { followingPromises } from './mail/following.ts';
import { hostilePromises } from './mail/hostile.ts';
import { listPromises } from './mail/lists.ts';
import { readMail } from './mail/read.ts';
import type { Mailbox, MailScene } from './mail/scene.ts';
import { searchPromises } from './mail/search.ts';
import { sendingPromises } from './mail/sending.ts';
import { threadPromises } from './mail/thread.ts';
import { watchingPromises } from './mail/watching.ts';

/** A mailbox for one test. Its folders are empty; it has at least an inbox and a Sent folder. */
export interface MailUnderTest {
  readonly mail: Mail;
  readonly account: MailAccount;
  /** Puts a message into a folder, unread, as another program would. */
  deliver(path: string, raw: string, options?: { receivedAt?: Date }): Promise<void>;
  /** Returns the stored messages of a folder, oldest first. Line ends may have become LF. */
  messages(path: string): Promise<readonly string[]>;
  /**
   * Returns the keywords of each message of a folder, oldest first, without the flags that IMAP itself
   * defines.
   */
  keywords(path: string): Promise<readonly (readonly string[])[]>;
  /** Returns what has arrived so far at `recipient`. */
  arrived(): Promise<readonly string[]>;
  /** An address that accepts mail. */
  readonly recipient: string;
  /** An address that the sending server permanently refuses. */
  readonly refusedRecipient: string;
  close(): Promise<void>;
}

/** How a server may differ from the others. */
export interface MailDifferences {
  /**
   * The server can neither move a message nor expunge a single one: after a move the original remains, marked
   * \\Deleted.
   */
  readonly originalStays?: boolean;
  /**
   * The server returns, and counts the bytes of, only the first attachments of a message with many parts:
   * this many.
   */
  readonly attachmentsAtMost?: number;
  /** `watchInbox` always ends with `cannot_announce`. */
  readonly cannotAnnounce?: boolean;
  /** The server joins conversations itself (RFC 8474), by what it reads in the headers. */
  readonly joinsItself?: boolean;
}

/** A section of the contract: the methods that it covers, and their promises. */
interface Section {
  readonly methods: readonly (keyof Mail)[];
  readonly promises: (mailbox: Mailbox, differences: MailDifferences) => void;
}

/**
 * In the order in which an author writes an adapter: each section needs its own methods and those before it.
 */
const SECTIONS = {
  folders: { methods: ['verify', 'folders', 'createFolder'], promises: folderPromises },
  lists: { methods: ['list', 'row'], promises: listPromises },
  flags: { methods: ['setFlag', 'counts'], promises: flagPromises },
  reading: {
    methods: ['read', 'readAll', 'attachment'],
    promises(mailbox, differences) {
      contentPromises(mailbox);
      hostilePromises(mailbox, differences);
    },
  },
  searching: {
    methods: ['find', 'search', 'thread'],
    promises(mailbox, differences) {
      findPromises(mailbox);
      searchPromises(mailbox);
      threadPromises(mailbox, differences);
    },
  },
  changing: { methods: ['move', 'label'], promises: changePromises },
  following: { methods: ['readTexts', 'rows', 'states', 'uids'], promises: followingPromises },
  sending: { methods: ['transmit', 'saveSent', 'messageWithId', 'sentCopies'], promises: sendingPromises },
  watching: { methods: ['visitInbox', 'watchInbox'], promises: watchingPromises },
  ending: { methods: ['forget'], promises: endingPromises },
} as const satisfies Readonly<Record<string, Section>>;

export type MailSection = keyof typeof SECTIONS;

const NAMES: readonly MailSection[] = [
  'folders',
  'lists',
  'flags',
  'reading',
  'searching',
  'changing',
  'following',
  'sending',
  'watching',
  'ending',
];

/**
 * The contract of the Mail port. Its sections, in the order in which to write an adapter:
 *
 * | section | methods |
 * |---|---|
 * | `folders` | verify, folders, createFolder |
 * | `lists` | list, row |
 * | `flags` | setFlag, counts |
 * | `reading` | read, readAll, attachment |
 * | `searching` | find, search, thread |
 * | `changing` | move, label |
 * | `following` | readTexts, rows, states, uids |
 * | `sending` | transmit, saveSent, messageWithId, sentCopies |
 * | `watching` | visitInbox, watchInbox |
 * | `ending` | forget, and calls whose signal was aborted |
 *
 * A section calls only its own methods and those of the sections before it, so an adapter passes a section before
 * the methods of later ones exist. Start with `sections: ['folders']`. `MailUnderTest` needs `deliver` from `lists` on,
 * `messages` and `keywords` from `changing` on, and `arrived` from `sending` on.
 * @param open  opens a separate mailbox for each test
 * @param options `sections`: the ones to run; default all
 */
export function mailContract(
  name: string,
  open: () => Promise<MailUnderTest>,
  { sections = NAMES, ...differences }: MailDifferences & { readonly sections?: readonly MailSection[] } = {},
): void {
  describe(`${name}: mailbox contract`, () => {
    for (const section of NAMES.filter((one) => sections.includes(one))) {
      describe(section, () => {
        let scene: MailScene;
        beforeEach(async () => {
          const box = await open();
          const call: MailCall = {
            account: box.account,
            signal: new AbortController().signal,
            deadlineMs: 20_000,
          };
          const mail = readMail(box.mail, methodsUpTo(section));
          const inbox = await pathOfRole(mail, call, 'inbox');
          const sent = await pathOfRole(mail, call, 'sent');
          scene = { box, mail, call, inbox, sent };
        });
        afterEach(() => scene?.box.close());
        SECTIONS[section].promises(() => scene, differences);
      });
    }
  });
}

function methodsUpTo(section: MailSection): (keyof Mail)[] {
  return NAMES.slice(0, NAMES.indexOf(section) + 1).flatMap((name) => SECTIONS[name].methods);
}

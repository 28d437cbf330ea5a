import type { FetchQueryObject, ImapFlow } from 'imapflow';
import { MailError } from '../../core/ports/mail.ts';
import { deliveryRefusal } from './failure.ts';
import { type Fetched, fetched } from './fetched.ts';
import { hasFlag } from './has-flag.ts';
import { searchUids, uidSets } from './uid-search.ts';

/** What a server delivers of several messages, if it cannot deliver some of them. */
export interface FetchedEach {
  /** In any order. */
  readonly messages: readonly Fetched[];
  /** Messages that exist and were not delivered, with what is known of each. */
  readonly undeliverable: readonly Fetched[];
  /** Why it did not deliver them. Undefined: it left them out without a word, or none is missing. */
  readonly refusal: MailError | undefined;
}

/** A server that delivers nothing is not asked for each of its messages. */
const MOST_COMMANDS = 100;

/**
 * Fetches messages by their UIDs. One that the server cannot deliver (it refuses, or leaves it out) takes no other with it:
 * those that did not arrive are fetched again, by halves, down to each by itself.
 * @throws MailError if the server delivers none for now
 */
export async function fetchEach(
  client: ImapFlow,
  uids: readonly number[],
  query: FetchQueryObject,
): Promise<FetchedEach> {
  const delivered = new Map<number, Fetched>();
  const known = new Map<number, Fetched>();
  const undelivered: number[] = [];
  let refusal: ReturnType<typeof deliveryRefusal>;
  let commands = 0;

  async function ask(asked: readonly number[], wanted: FetchQueryObject): Promise<readonly Fetched[]> {
    let answers: Fetched[] = [];
    for (const set of uidSets(asked)) {
      commands += 1;
      try {
        for await (const message of fetched(client, set, wanted)) {
          if (isShown(message)) answers.push(message);
        }
      } catch (error) {
        const why = deliveryRefusal(error);
        if (why === undefined) throw error;
        if (refusal?.isCertain !== true) refusal = why;
        // Some servers send the beginning of the message that they fail to read.
        const whole = answers.filter((message) => hasAll(message, wanted));
        for (const message of answers) if (!whole.includes(message)) known.set(message.uid, message);
        answers = whole;
      }
    }
    return answers;
  }

  async function deliver(asked: readonly number[]): Promise<readonly number[]> {
    for (const message of await ask(asked, query)) delivered.set(message.uid, message);
    return asked.filter((uid) => !delivered.has(uid));
  }

  async function divide(asked: readonly number[]): Promise<void> {
    if (commands > MOST_COMMANDS) {
      throw (
        refusal?.why ?? new MailError('refused', 'the IMAP server does not deliver the messages of a folder')
      );
    }
    const left = await deliver(asked);
    if (left.length === 0) return;
    if (asked.length === 1) {
      for (const uid of left) undelivered.push(uid);
      return;
    }
    const half = Math.ceil(left.length / 2);
    await divide(left.slice(0, half));
    await divide(left.slice(half));
  }

  /** Whether the server delivers the first or the last message of the folder. */
  async function deliversAnother(): Promise<boolean> {
    const others = (await searchUids(client, { seq: '1,*' })).filter((uid) => !undelivered.includes(uid));
    for (const uid of others) if ((await ask([uid], query)).length > 0) return true;
    return false;
  }

  const left = await deliver(uids);
  const existing = new Set(left.length === 0 ? [] : await searchAmong(client, left));
  const missing = left.filter((uid) => existing.has(uid));
  if (missing.length > 0) await divide(missing);
  if (undelivered.length > 0 && refusal?.isCertain === false && delivered.size === 0) {
    const { why } = refusal;
    if (!(await deliversAnother())) throw why;
  }
  for (const uid of undelivered) {
    if (known.has(uid)) continue;
    const [message] = await ask([uid], { flags: true, internalDate: true, size: true });
    if (message !== undefined) known.set(uid, message);
  }
  return {
    messages: [...delivered.values()],
    undeliverable: undelivered.map((uid) => known.get(uid) ?? { uid }),
    refusal: refusal?.why,
  };
}

async function searchAmong(client: ImapFlow, uids: readonly number[]): Promise<readonly number[]> {
  const found: number[] = [];
  for (const set of uidSets(uids)) {
    for (const uid of await searchUids(client, { uid: set })) found.push(uid);
  }
  return found;
}

/**
 * Whether it is a message that the mailbox shows. Servers also report flags that another program changed, in the same form
 * but with fewer fields. What is marked as \Deleted is gone for a person: only the server still has it.
 */
export function isShown({ uid, size, internalDate, headers, source, flags }: Fetched): boolean {
  const isWhole = uid > 0 && [size, internalDate, headers, source].some((part) => part !== undefined);
  return isWhole && !hasFlag(flags, '\\deleted');
}

function hasAll({ headers, source }: Fetched, wanted: FetchQueryObject): boolean {
  return !(wanted.headers && headers === undefined) && !(wanted.source && source === undefined);
}

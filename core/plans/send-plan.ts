import type { FrozenMessage } from '../actions/frozen-message.ts';
import { messageGist } from '../actions/gist.ts';
import type { MessageTarget } from '../actions/message-target.ts';
import { type SendResult, send } from '../actions/send.ts';
import type { CallContext } from '../call/context.ts';
import { ServiceError } from '../contract/errors.ts';
import { normalAddress } from '../contract/schema.ts';
import { composeMessage, type Invitation } from '../mail/compose.ts';
import type { MessageHeaders } from '../mail/parse.ts';
import { readSentMessage } from '../mail/sent-message.ts';
import type { Account } from '../ports/account.ts';
import type { Hold } from '../safety/holds.ts';
import { domainOf, safetyHolds } from '../safety/safety-filter.ts';
import type { Planned } from './planned.ts';
import { recipientHolds } from './recipient-holds.ts';

/** What the plans of all sends share: composing and freezing the bytes, and the holds. */

interface Letter extends Message, Addressed {
  /** The message that this one answers or forwards. */
  readonly about: { readonly target: MessageTarget; readonly flag: 'answered' | 'forwarded' } | null;
}

interface Message {
  readonly account: Account;
  readonly to: readonly string[];
  readonly subject: string;
  /** The whole text: the agent's text, quote and signature. */
  readonly text: string;
  readonly invitation?: Invitation;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
}

/** The input of the holds. */
interface Addressed {
  readonly account: Account;
  readonly to: readonly string[];
  /** The part of subject and text that the agent wrote, for the safety filter. */
  readonly written: { readonly subject: string; readonly body: string };
  /** The part of the text that others wrote and that now goes to a new recipient. */
  readonly passedOn?: string;
  /** The participants of the conversation: the headers of the message that is answered or forwarded. */
  readonly thread: Pick<MessageHeaders, 'from' | 'replyTo' | 'to' | 'cc'> | null;
}

/** Plans a send, with its holds. */
export async function planSend(
  context: CallContext,
  letter: Letter,
): Promise<Pick<Planned<SendResult>, 'action' | 'holds' | 'gist'>> {
  const { account, about, to, subject } = letter;
  return {
    action: send({
      kind: 'send',
      account: { accountId: account.accountId, email: account.email },
      message: await frozenMessageOf(context, letter),
      about,
    }),
    holds: await sendingHolds(context, letter),
    gist: messageGist(to, subject),
  };
}

/** Composes the message, parses it again, and refuses bytes that do not match the request. */
export async function frozenMessageOf({ ports }: CallContext, letter: Message): Promise<FrozenMessage> {
  const { account } = letter;
  const unique = Buffer.from(ports.random(16)).toString('hex');
  const messageId = `<${unique}@${account.email.slice(account.email.lastIndexOf('@') + 1)}>`;
  const raw = composeMessage({
    from: { name: '', address: account.email },
    to: letter.to,
    subject: letter.subject,
    // The newline that ends the message is not part of its text.
    text: `${letter.text}\n`,
    messageId,
    inReplyTo: letter.inReplyTo,
    references: letter.references,
    ...(letter.invitation === undefined ? {} : { invitation: letter.invitation }),
    requestId: unique,
  });
  const reread = await readSentMessage(raw);
  const faithful =
    reread.from.address === account.email &&
    reread.to.length === letter.to.length &&
    reread.to.every((address, index) => address === letter.to[index]) &&
    reread.subject === letter.subject &&
    reread.messageId === messageId &&
    reread.inReplyTo === letter.inReplyTo &&
    reread.text === letter.text &&
    reread.invitation?.method === letter.invitation?.method &&
    reread.invitation?.ics === letter.invitation?.ics.replaceAll('\r\n', '\n');
  if (!faithful)
    throw new ServiceError('internal_error', {
      cause: new Error('the composed bytes do not match the message'),
    });
  return {
    envelope: { from: account.email, to: [...letter.to] },
    raw: Buffer.from(raw).toString('base64'),
    messageId,
  };
}

/** Checks the recipients first: those found in Sent become known, and so do their domains. */
export async function sendingHolds(
  context: CallContext,
  { account, to, written, thread, passedOn = '' }: Addressed,
): Promise<Hold[]> {
  const first = await recipientHolds(context, account, to);
  const known = await context.ports.storage.knownDomains(context.owner.ownerId, account.accountId);
  const { from = [], replyTo = [], to: thereTo = [], cc = [] } = thread ?? {};
  const partners = [from, replyTo, thereTo, cc].flat().map((one) => one.address);
  const own = context.accounts.map(({ email }) => domainOf(normalAddress(email)));
  const filtered = safetyHolds({
    ...written,
    passedOn,
    to: to.map(normalAddress),
    knownDomains: new Set([...known.keys(), ...own]),
    ownDomain: domainOf(normalAddress(account.email)),
    threadAddresses: new Set([account.email, ...partners].map(normalAddress)),
  });
  return [...first, ...filtered];
}

/** Appends the account's signature to a text. */
export function signed(text: string, signature: string): string {
  return signature === '' ? text : `${text}\n\n-- \n${signature}`;
}

import { sentMessage } from '../accounts/sent-message.ts';
import type { FrozenMessage } from '../actions/frozen-message.ts';
import { messageGist } from '../actions/gist.ts';
import type { MessageTarget } from '../actions/message-target.ts';
import type { NotSent } from '../actions/not-sent.ts';
import { type SendResult, send } from '../actions/send.ts';
import type { CallContext } from '../call/context.ts';
import { ServiceError } from '../contract/errors.ts';
import { normalAddress } from '../contract/schema.ts';
import { composeMessage, type Invitation } from '../mail/compose.ts';
import type { MessageHeaders } from '../mail/message-headers.ts';
import type { Account } from '../ports/account.ts';
import type { NamedText } from '../provenance/taken-values.ts';
import { newWrittenId } from '../provenance/written-id.ts';
import { domainsWithinLimit, usedDomainKeys } from '../safety/domain-keys.ts';
import { domainOf } from '../safety/domain-of.ts';
import { bareFinding, type Finding } from '../safety/finding.ts';
import type { Answered, NamedDomains, NamingText, SafetyFacts } from '../safety/safety-facts.ts';
import { namesakeDomains, newAmong, newRecipients } from './new-recipients.ts';
import type { Planned } from './planned.ts';

/** What the plans of all sends share: composing and freezing the bytes, and the findings. */

interface Letter extends Message, Addressed {
  /** The message that this one answers or forwards. */
  readonly about: { readonly target: MessageTarget; readonly flag: 'answered' | 'forwarded' } | null;
  /** The attachments that a forward leaves behind. */
  readonly notSent?: NotSent | undefined;
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
  readonly threadIndex?: string | undefined;
}

/** The input of the findings. */
interface Addressed {
  readonly account: Account;
  readonly to: readonly string[];
  /** The part of subject and text that the agent wrote. The text starts with it. */
  readonly written: { readonly subject: string; readonly body: string };
  /** The part of the text that others wrote and that now goes to a new recipient, and its offset in the text. */
  readonly passedOn?: { readonly text: string; readonly at: number };
  /** The participants of the conversation: the headers of the message that is answered or forwarded. */
  readonly thread: Pick<MessageHeaders, 'from' | 'replyTo' | 'to' | 'cc'> | null;
  /** The text of the message that a reply answers, as a person sees it. */
  readonly answeredText?: string;
}

/** Plans a send, with its findings. */
export async function planSend(
  context: CallContext,
  letter: Letter,
): Promise<Pick<Planned<SendResult>, 'action' | 'answered' | 'findings' | 'gist' | 'texts'>> {
  const { account, about, to, subject } = letter;
  return {
    action: send({
      kind: 'send',
      account: { accountId: account.accountId, email: account.email },
      message: await frozenMessageOf(context, letter),
      about,
      ownChars: letter.written.body.length,
      ...(letter.notSent && { notSent: letter.notSent }),
    }),
    findings: await sendingFindings(context, letter),
    texts: textsOf(letter),
    ...(letter.answeredText === undefined
      ? {}
      : { answered: (letter.thread?.from ?? []).map(({ address }) => normalAddress(address)) }),
    gist: messageGist(to, subject, letter.inReplyTo === null ? [] : letter.references),
  };
}

/** The agent's texts, and the one that a forward passes on. */
export function textsOf({ written, passedOn }: Pick<Addressed, 'written' | 'passedOn'>): NamedText[] {
  const agent = { isPassedOn: false };
  return [
    { ...agent, name: 'subject', text: written.subject, place: { in: 'subject', at: 0 } },
    { ...agent, name: 'text', text: written.body, place: { in: 'text', at: 0 } },
    ...(passedOn === undefined
      ? []
      : [
          {
            name: 'text',
            text: passedOn.text,
            isPassedOn: true,
            place: { in: 'text', at: passedOn.at },
          } as const,
        ]),
  ];
}

/** Composes the message, parses it again, and refuses bytes that do not match the request. */
export async function frozenMessageOf(
  { ports, owner, signal }: CallContext,
  letter: Message,
): Promise<FrozenMessage> {
  const { account } = letter;
  const unique = newWrittenId(ports.random);
  const messageId = `<${unique}@${account.email.slice(account.email.lastIndexOf('@') + 1)}>`;
  const raw = composeMessage({
    from: { name: fromName(account), address: account.email },
    to: letter.to,
    subject: letter.subject,
    // The newline that ends the message is not part of its text.
    text: `${letter.text}\n`,
    messageId,
    inReplyTo: letter.inReplyTo,
    references: letter.references,
    threadIndex: letter.threadIndex,
    ...(letter.invitation === undefined ? {} : { invitation: letter.invitation }),
    requestId: unique,
  });
  const reread = await sentMessage(ports, { ownerId: owner.ownerId, signal }, raw);
  const faithful =
    reread.from.address === account.email &&
    reread.from.name === fromName(account) &&
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

/** A name that is the address itself adds nothing. */
function fromName({ displayName, email }: Account): string {
  return displayName === email ? '' : displayName;
}

/** Checks the recipients first: those found in Sent become known, and so do their domains. */
export async function sendingFindings(
  context: CallContext,
  { account, to, written, thread, passedOn = { text: '', at: 0 }, answeredText }: Addressed,
): Promise<Finding[]> {
  const recipients = to.map(normalAddress);
  const found = await newAmong(context, account, recipients);
  const { from = [], replyTo = [], to: thereTo = [], cc = [] } = thread ?? {};
  const normal = (list: MessageHeaders['from']) => list.map((one) => normalAddress(one.address));
  const senders = normal(from);
  const others = new Set(normal([...thereTo, ...cc]));
  const answered: Answered | null =
    answeredText === undefined
      ? null
      : {
          senders,
          others,
          isSenderKnown: await isAnyKnown(context, account, senders, recipients),
          text: answeredText,
        };
  const people = [...senders, ...found.addresses];
  const inMessage = await domainsIn(context, {
    ...written,
    to: recipients,
    senders: answered === null ? [] : senders,
  });
  const lookedUp = domainsWithinLimit([...people.map(domainOf), ...inMessage.domains]);
  const filtered = await safetyFindingsOf(context, {
    ...written,
    to: recipients,
    answered,
    passedOn: passedOn.text,
    passedOnAt: passedOn.at,
    newAddresses: found.addresses,
    knownDomains: await domainsFor(context, account, people, lookedUp.domains),
    ownDomains: new Set(context.accounts.map(({ email }) => domainOf(normalAddress(email)))),
    threadAddresses: new Set([normalAddress(account.email), ...senders, ...normal(replyTo), ...others]),
  });
  const isCompared = inMessage.complete && lookedUp.complete;
  return [...newRecipients(found), ...(isCompared ? [] : [bareFinding('domains_not_compared')]), ...filtered];
}

/** None, and not complete, if its text takes too long to read. */
async function domainsIn(
  { ports, owner: { ownerId }, signal }: CallContext,
  message: NamingText,
): Promise<NamedDomains> {
  const reading = await ports.reader.read('domains', message, { ownerId, signal });
  return reading.kind === 'read' ? reading.value : { domains: [], complete: false };
}

async function safetyFindingsOf(
  { ports, owner: { ownerId }, signal }: CallContext,
  facts: SafetyFacts,
): Promise<readonly Finding[]> {
  const reading = await ports.reader.read('safety', facts, { ownerId, signal });
  return reading.kind === 'read' ? reading.value : [bareFinding('text_not_checked')];
}

/** The domains that the owner has written to, as far as they matter, and those of people who could be taken for one of `people`. */
async function domainsFor(
  context: CallContext,
  account: Account,
  people: readonly string[],
  lookedUp: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const known = (domains: readonly string[]) =>
    context.ports.storage.knownDomains(context.owner.ownerId, account.accountId, usedDomainKeys(domains));
  const matching = await known(lookedUp);
  const strangers = people.filter((one) => !matching.has(domainOf(one)));
  const namesakes = await namesakeDomains(context, account, strangers);
  const counted = namesakes.size === 0 ? [] : await known(domainsWithinLimit(namesakes.keys()).domains);
  return new Map([...namesakes, ...matching, ...counted]);
}

/** Whether the owner has written to one of the senders. Looked up only if the answer goes elsewhere. */
async function isAnyKnown(
  context: CallContext,
  account: Account,
  senders: readonly string[],
  recipients: readonly string[],
): Promise<boolean> {
  if (recipients.every((address) => senders.includes(address))) return false;
  // More senders are hardly ever there, and each may take a search of Sent.
  const looked = senders.slice(0, SENDERS_MAX);
  const { addresses, isCertain } = await newAmong(context, account, looked);
  return isCertain && looked.some((address) => !addresses.has(address));
}

const SENDERS_MAX = 3;

/** Appends the account's signature to a text. */
export function signed(text: string, signature: string): string {
  return signature === '' ? text : `${text}\n\n-- \n${signature}`;
}

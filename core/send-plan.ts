import { ServiceError } from './errors.ts';
import { folderForRole, folderRolesOf } from './folders/account-folders.ts';
import { type Hold, recipientHolds } from './holds.ts';
import { composeMessage, type Invitation, withDate } from './mail/compose.ts';
import type { MessageHeaders } from './mail/parse.ts';
import { placeOf } from './mailbox.ts';
import type { Result } from './outcome.ts';
import type { ActionPlan, MessageTarget } from './plan.ts';
import type { MailFlag } from './ports/mail.ts';
import type { Outgoing } from './ports/mail-sending.ts';
import type { Account } from './ports/storage.ts';
import { domainOf, safetyHolds } from './safety-filter.ts';
import { normalAddress } from './schema.ts';
import { readSentMessage } from './sent-message.ts';
import type { CallContext, Checked, RunContext } from './tools/define-tool.ts';

/** What all sends have in common: composing and freezing the bytes, transmitting them, and the work afterwards. */

interface Letter extends Message, Addressed {
  readonly tool: string;
  readonly targets: readonly MessageTarget[];
}

interface Message {
  readonly account: Account;
  readonly to: readonly string[];
  readonly subject: string;
  /** All of the text: what was asked for, quote and signature. */
  readonly text: string;
  readonly invitation?: Invitation;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
}

/** What the holds look at. */
interface Addressed {
  readonly account: Account;
  readonly to: readonly string[];
  /** The part of subject and text that the agent wrote: for the safety filter. */
  readonly written: { readonly subject: string; readonly body: string };
  /** The part of the text that others wrote, and that now goes to somebody else. */
  readonly passedOn?: string;
  /** Who is part of the conversation: the head of the message that is answered or passed on. */
  readonly thread: Pick<MessageHeaders, 'from' | 'replyTo' | 'to' | 'cc'> | null;
}

export async function planSend(context: CallContext, letter: Letter): Promise<ActionPlan> {
  const { account } = letter;
  return {
    v: 1,
    tool: letter.tool,
    account: { accountId: account.accountId, email: account.email },
    ...(await frozenMessage(context, letter)),
    targets: [...letter.targets],
    holds: await sendingHolds(context, letter),
    warnings: [],
    display: [],
    record: null,
  };
}

/** Composes the message, parses it again, and refuses bytes that do not say what was asked. */
export async function frozenMessage(
  { ports }: CallContext,
  letter: Message,
): Promise<Pick<ActionPlan, 'envelope' | 'raw' | 'messageId'>> {
  const { account } = letter;
  const unique = Buffer.from(ports.random(16)).toString('hex');
  const messageId = `<${unique}@${account.email.slice(account.email.lastIndexOf('@') + 1)}>`;
  const raw = composeMessage({
    from: { name: '', address: account.email },
    to: letter.to,
    subject: letter.subject,
    // The newline that ends the message is no part of its text.
    text: `${letter.text}\n`,
    messageId,
    inReplyTo: letter.inReplyTo,
    references: letter.references,
    ...(letter.invitation === undefined ? {} : { invitation: letter.invitation }),
    requestId: unique,
  });
  const says = await readSentMessage(raw);
  const faithful =
    says.from.address === account.email &&
    says.to.length === letter.to.length &&
    says.to.every((address, index) => address === letter.to[index]) &&
    says.subject === letter.subject &&
    says.messageId === messageId &&
    says.inReplyTo === letter.inReplyTo &&
    says.text === letter.text &&
    says.invitation?.method === letter.invitation?.method &&
    says.invitation?.ics === letter.invitation?.ics.replaceAll('\r\n', '\n');
  if (!faithful)
    throw new ServiceError('internal_error', { cause: new Error('the composed bytes say something else') });
  return {
    envelope: { from: account.email, to: [...letter.to] },
    raw: Buffer.from(raw).toString('base64'),
    messageId,
  };
}

/** The recipients are looked up first: those found in Sent are known from then on, and so are their domains. */
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
    knownDomains: new Set([...known, ...own]),
    ownDomain: domainOf(normalAddress(account.email)),
    threadAddresses: new Set([account.email, ...partners].map(normalAddress)),
  });
  return [...first, ...filtered];
}

/** Text with the account's signature below it. */
export function signed(text: string, signature: string): string {
  return signature === '' ? text : `${text}\n\n-- \n${signature}`;
}

interface Parts {
  readonly accountId: number;
  readonly message: Outgoing;
}

function partsOf(plan: ActionPlan, date: Date): Parts {
  const { account, envelope, raw, messageId } = plan;
  if (account === null || envelope === null || raw === null || messageId === null) {
    throw new ServiceError('internal_error', { cause: new Error('the plan of a send lacks its message') });
  }
  return {
    accountId: account.accountId,
    message: { envelope, bytes: withDate(Buffer.from(raw, 'base64'), date), date, messageId },
  };
}

function sentResult(message: Outgoing): Result {
  return { sent: true, recipients: message.envelope.to.length };
}

export async function performSend(plan: ActionPlan, run: RunContext): Promise<Result> {
  const { accountId, message } = partsOf(plan, run.date);
  const { call } = await run.mailbox(accountId);
  await run.ports.mail.transmit(call, message, run.start);
  return sentResult(message);
}

/** A copy in Sent that is not ours to save proves that it was sent; its absence proves nothing. */
export async function checkSend(plan: ActionPlan, run: RunContext): Promise<Checked> {
  const { accountId, message } = partsOf(plan, run.date);
  const mailbox = await run.mailbox(accountId);
  const { path } = (await folderRolesOf(run.ports, mailbox)).sent;
  const there = path !== null && (await run.ports.mail.holdsMessage(mailbox.call, path, message.messageId));
  return there ? { kind: 'happened', result: sentResult(message) } : { kind: 'unknown' };
}

/** The copy in Sent, then the flag on the message that was answered. */
export async function followUpSend(plan: ActionPlan, run: RunContext, flag: MailFlag | null): Promise<void> {
  const { accountId, message } = partsOf(plan, run.date);
  const mailbox = await run.mailbox(accountId);
  const { call } = mailbox;
  const { sent } = await folderRolesOf(run.ports, mailbox);
  // An owner who wants no Sent folder wants no copies.
  if (sent.path !== null || sent.by !== 'owner') {
    await run.ports.mail.saveSent(call, await folderForRole(run.ports, mailbox, 'sent'), message);
  }
  const [answered] = plan.targets;
  if (flag === null || answered === undefined) return;
  // A message that is gone or was replaced needs no flag.
  const row = await placeOf(run.ports.mail, call, answered);
  if (row !== undefined) await run.ports.mail.setFlag(call, row.place, flag, true, async () => true);
}

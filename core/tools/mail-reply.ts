import * as z from 'zod';
import { targetName } from '../actions/message-target.ts';
import type { SendResult } from '../actions/send.ts';
import type { CallContext } from '../call/context.ts';
import { findReadMessage, MESSAGE_ERRORS, messageTarget } from '../call/mailbox.ts';
import { senderFindings } from '../call/message-sender.ts';
import { refusePeopleOutside } from '../call/refuse-outside.ts';
import { messagePassage } from '../call/shown-passages.ts';
import { writeArgumentsOf } from '../contract/purpose.ts';
import { bodyText, invalidArgument, messageId, normalAddress, text } from '../contract/schema.ts';
import type { MailAddress } from '../mail/address.ts';
import type { MessageHeaders } from '../mail/message-headers.ts';
import { needsUtf8, replyAddress } from '../mail/reply-address.ts';
import { answerThreadIndex } from '../mail/thread-index.ts';
import { asOwnerSent } from '../plans/owners-message.ts';
import type { Planned } from '../plans/planned.ts';
import { isMessageId, QUOTE_WINDOW, quoted, replyReferences, replySubject } from '../plans/quote.ts';
import { planSend, signed } from '../plans/send-plan.ts';
import { bareFinding } from '../safety/finding.ts';
import { defineWrite } from './define-tool.ts';
import { recipients } from './mail-send.ts';
import { sendResult } from './result-shapes.ts';

const replyInput = z.strictObject({
  id: messageId,
  body: text({ min: 1, max: 50_000, description: 'Plain text; quote and signature are added.' }),
});

export const sendReply = defineWrite({
  name: 'send_reply',
  title: 'Reply to a message',
  words: { verb: 'reply to %', past: 'Replied to %', one: 'a message' },
  description:
    'Replies to the sender of a message (its Reply-To, else From), or to the people the owner sent it to, in plain text. The quoted message and the account signature are added. To write to anybody else, use send_email. Usually answers pending_approval: nothing is done until the owner approves.',
  group: 'mail:reply',
  errors: [...MESSAGE_ERRORS, 'pending_exists_for_target'],
  action: 'reply',
  input: replyInput,
  output: sendResult,
  plan: planReply,
});

/** The same arguments, and the recipients if the owner chooses others. A program cannot choose them. */
export const ownersReply = writeArgumentsOf(replyInput.extend({ to: recipients.optional() }));

export async function planReply(
  args: { readonly id: string; readonly body: string; readonly to?: readonly string[] | undefined },
  context: CallContext,
): Promise<Planned<SendResult>> {
  const found = await findReadMessage(context, args.id, QUOTE_WINDOW);
  const { account } = found;
  context.shown(args.id);
  const body = bodyText(args.body);
  const target = messageTarget(account, args.id, found.row);
  const sent = await asOwnerSent(context, account, found);
  const { from } = found.message.headers;
  // Anybody can put the owner's address there.
  const isClaimed =
    sent === undefined && from.some(({ address }) => context.ownAddresses.has(normalAddress(address)));
  const read = { id: args.id, account, row: found.row };
  context.read([messagePassage(read, isClaimed ? [] : from, found.message)]);
  const { row, message: parent } = sent ?? found;
  const { to, areSomeLeftOut } =
    args.to === undefined
      ? answerTo(parent.headers, sent !== undefined)
      : { to: args.to, areSomeLeftOut: false };
  refusePeopleOutside(context, to, (_address, index) => (args.to === undefined ? 'id' : `to[${index}]`));
  const parentId = parent.headers.messageId;
  const quotation = quoted({ from: row.from, isClaimed, date: row.date, body: parent.body });
  const passesOn = sent === undefined && to.some((address) => isElsewhere(address, parent.headers));
  const plan = await planSend(context, {
    account,
    to,
    subject: replySubject(parent.headers.subject),
    text: signed(`${body}\n\n${quotation}`, account.signature),
    written: { subject: '', body },
    ...(passesOn && { passedOn: { text: quotation, at: body.length + 2 } }),
    thread: parent.headers,
    answeredText: parent.body.text,
    inReplyTo: parentId !== null && isMessageId(parentId) ? parentId : null,
    references: replyReferences(parent.headers),
    threadIndex: answerThreadIndex(parent.headers.threadIndex, context.ports.clock.now()),
    about: { target, flag: 'answered' },
  });
  const named = targetName(account.accountId, target);
  const others = args.to === undefined ? {} : { to: args.to.map(normalAddress).sort() };
  const findings = [
    ...(areSomeLeftOut ? [bareFinding('answers_not_all')] : []),
    ...(sent === undefined && parent.headers.isAutomatic ? [bareFinding('answers_automatic_mail')] : []),
    ...(sent === undefined ? senderFindings(account, from, row) : []),
    ...plan.findings,
  ];
  return { ...plan, findings, request: { target: named, body, ...others }, targets: [named] };
}

/**
 * Whether somebody gets the quotation who did not write the message. The address of a mailing list is among the recipients of
 * its messages, and a list says that it is one.
 */
function isElsewhere(address: string, { from, to, cc, isAutomatic }: MessageHeaders): boolean {
  const has = (people: readonly MailAddress[]) =>
    people.some((one) => normalAddress(one.address) === normalAddress(address));
  return !has(from) && !(isAutomatic === true && has([...to, ...cc]));
}

const REPLY_RECIPIENTS = 5;

interface Recipients {
  readonly to: readonly string[];
  /** Mail cannot be sent to others that the message names. */
  readonly areSomeLeftOut: boolean;
}

/**
 * Returns Reply-To, otherwise From; the To of a message that the owner sent. An entry without an address is a name. Strangers
 * write these headers, so at most as many are taken as a send may have.
 */
function answerTo({ replyTo, from, to }: MessageHeaders, isOwners: boolean): Recipients {
  const senders = replyTo.some(hasAddress) ? replyTo : from;
  const named = (isOwners ? to : senders).filter(hasAddress).map(({ address }) => address);
  const usable = named.flatMap((one) => replyAddress(one) ?? []);
  const unique = [...new Map(usable.map((one) => [normalAddress(one), one])).values()];
  if (unique.length === 0) {
    throw invalidArgument(
      'id',
      'recipient',
      named.some(needsUtf8)
        ? 'names a message whose sender has letters beyond ASCII before the @ of the address; Countersign cannot send to it'
        : 'names a message whose sender has no valid address for a reply',
    );
  }
  if (unique.length > REPLY_RECIPIENTS) {
    throw invalidArgument(
      'id',
      'recipient',
      'names a message whose Reply-To has addresses that cannot all receive a reply',
    );
  }
  return { to: unique, areSomeLeftOut: usable.length < named.length };
}

function hasAddress({ address }: MailAddress): boolean {
  return address.includes('@');
}

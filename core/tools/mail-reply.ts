import * as z from 'zod';
import { targetName } from '../actions/message-target.ts';
import { findReadMessage, MESSAGE_ERRORS, messageTarget } from '../call/mailbox.ts';
import { refusePeopleOutside } from '../call/refuse-outside.ts';
import { address, bodyText, invalidArgument, messageId, normalAddress, text } from '../contract/schema.ts';
import type { MessageHeaders } from '../mail/parse.ts';
import { isMessageId, QUOTE_WINDOW, quoted, replyReferences, replySubject } from '../plans/quote.ts';
import { planSend, signed } from '../plans/send-plan.ts';
import { defineWrite } from './define-tool.ts';
import { sendResult } from './result-shapes.ts';

export const sendReply = defineWrite({
  name: 'send_reply',
  title: 'Reply to a message',
  description:
    'Replies to the sender of a message (its Reply-To, else From) in plain text. The quoted message and the account signature are added. To write to anybody else, use send_email. Usually answers pending_approval: nothing is done until the owner approves.',
  group: 'mail:reply',
  errors: [...MESSAGE_ERRORS, 'pending_exists_for_target'],
  action: 'reply',
  untrusted: [],
  input: z.strictObject({
    id: messageId,
    body: text({ min: 1, max: 50_000, description: 'Plain text; quote and signature are added.' }),
  }),
  output: sendResult,
  async plan(args, context) {
    const { account, row, message: parent } = await findReadMessage(context, args.id, QUOTE_WINDOW);
    context.shown(args.id);
    const body = bodyText(args.body);
    const target = messageTarget(account, args.id, row);
    const to = answerTo(parent.headers);
    refusePeopleOutside(context, to, () => 'id');
    const parentId = parent.headers.messageId;
    const plan = await planSend(context, {
      account,
      to,
      subject: replySubject(parent.headers.subject),
      text: signed(
        `${body}\n\n${quoted({ from: row.from, date: row.date, body: parent.body })}`,
        account.signature,
      ),
      written: { subject: '', body },
      thread: parent.headers,
      answeredText: parent.body.text,
      inReplyTo: parentId !== null && isMessageId(parentId) ? parentId : null,
      references: replyReferences(parent.headers),
      about: { target, flag: 'answered' },
    });
    const named = targetName(account.accountId, target);
    return { ...plan, request: { target: named, body }, targets: [named] };
  },
});

const REPLY_RECIPIENTS = 5;

/**
 * Returns Reply-To, otherwise From. A stranger writes these: at most as many as in our own sends, and only
 * plain addresses.
 */
function answerTo({ replyTo, from }: MessageHeaders): string[] {
  const named = replyTo.length > 0 ? replyTo : from;
  const unique = [...new Map(named.map((one) => [normalAddress(one.address), one.address])).values()];
  const plain = unique.filter((one) => address.safeParse(one).success);
  if (plain.length === 0) {
    throw invalidArgument('id', 'recipient', 'names a message whose sender has no valid address for a reply');
  }
  if (plain.length > REPLY_RECIPIENTS || plain.length < unique.length) {
    throw invalidArgument(
      'id',
      'recipient',
      'names a message whose Reply-To has addresses that cannot all receive a reply',
    );
  }
  return plain;
}

import * as z from 'zod';
import { targetName } from '../actions/message-target.ts';
import { notSentOf } from '../actions/not-sent.ts';
import { findReadMessage, MESSAGE_ERRORS, messageTarget, sendingAccount } from '../call/mailbox.ts';
import { senderFindings } from '../call/message-sender.ts';
import { refusePeopleOutside } from '../call/refuse-outside.ts';
import { messagePassage } from '../call/shown-passages.ts';
import { accountId, address, bodyText, line, messageId, normalAddress, text } from '../contract/schema.ts';
import { forwarded, forwardSubject, QUOTE_WINDOW, replyReferences } from '../plans/quote.ts';
import { planSend, signed } from '../plans/send-plan.ts';
import { defineWrite } from './define-tool.ts';
import { sendResult } from './result-shapes.ts';

export const RECIPIENTS_MAX = 5;

export const recipients = z
  .array(address)
  .min(1)
  .max(RECIPIENTS_MAX)
  .refine((list) => new Set(list.map(normalAddress)).size === list.length, {
    message: 'must name each address once',
  })
  .meta({ uniqueItems: true, description: `1 to ${RECIPIENTS_MAX} bare addresses.` });

const recipientField = (_address: string, index: number) => `to[${index}]`;

export const sendEmail = defineWrite({
  name: 'send_email',
  title: 'Send a new message',
  words: { verb: 'send %', past: 'Sent %', one: 'a new message' },
  description:
    'Sends a new message in plain text. The account signature is appended. To answer a message, use send_reply. Usually answers pending_approval: nothing is done until the owner approves.',
  group: 'mail:send',
  errors: ['no_mail_account_connected', 'not_found', 'upstream_mail_error'],
  action: 'send',
  ownTexts: ['to', 'subject'],
  input: z.strictObject({
    to: recipients,
    subject: line({ min: 1, max: 300, description: 'One line.' }),
    body: text({ min: 1, max: 50_000, description: 'Plain text; the account signature is appended.' }),
    account_id: accountId.optional().meta({ description: 'The sending account; omitted: the active one.' }),
  }),
  output: sendResult,
  async plan(args, context) {
    const account = sendingAccount(context, args.account_id);
    refusePeopleOutside(context, args.to, recipientField);
    const body = bodyText(args.body);
    const plan = await planSend(context, {
      account,
      to: args.to,
      subject: args.subject,
      text: signed(body, account.signature),
      written: { subject: args.subject, body },
      thread: null,
      inReplyTo: null,
      references: [],
      about: null,
    });
    const to = args.to.map(normalAddress).sort();
    return { ...plan, request: { account: account.accountId, to, subject: args.subject, body }, targets: [] };
  },
});

export const forwardEmail = defineWrite({
  name: 'forward_email',
  title: 'Forward a message',
  words: { verb: 'forward %', past: 'Forwarded %', one: 'a message' },
  description:
    'Forwards the text of a message, with your note above it and the account signature. Attachments are not forwarded. Usually answers pending_approval: nothing is done until the owner approves.',
  group: 'mail:send',
  errors: [...MESSAGE_ERRORS, 'pending_exists_for_target'],
  action: 'forward',
  ownTexts: ['to'],
  input: z.strictObject({
    id: messageId,
    to: recipients,
    note: text({
      min: 0,
      max: 10_000,
      description: 'Plain text, placed above the forwarded message.',
    }).optional(),
  }),
  output: sendResult,
  async plan(args, context) {
    refusePeopleOutside(context, args.to, recipientField);
    const { account, row, message } = await findReadMessage(context, args.id, QUOTE_WINDOW);
    context.shown(args.id);
    context.read([messagePassage({ id: args.id, account, row }, message.headers.from, message)]);
    const note = bodyText(args.note ?? '');
    const { subject, to } = message.headers;
    const notSent = notSentOf(message.attachments);
    const passedOn = forwarded({
      from: row.from,
      date: row.date,
      subject,
      to: to.map((one) => one.address).join(', '),
      body: message.body,
      notSent,
    });
    const target = messageTarget(account, args.id, row);
    const plan = await planSend(context, {
      account,
      to: args.to,
      subject: forwardSubject(subject),
      text: signed(note === '' ? passedOn : `${note}\n\n${passedOn}`, account.signature),
      written: { subject: '', body: note },
      passedOn: { text: passedOn, at: note === '' ? 0 : note.length + 2 },
      thread: message.headers,
      inReplyTo: null,
      references: replyReferences(message.headers),
      about: { target, flag: 'forwarded' },
      notSent,
    });
    const named = targetName(account.accountId, target);
    const addresses = args.to.map(normalAddress).sort();
    const findings = [...senderFindings(account, message.headers.from, row), ...plan.findings];
    return { ...plan, findings, request: { target: named, to: addresses, note }, targets: [named] };
  },
});

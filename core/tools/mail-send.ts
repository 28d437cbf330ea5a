import * as z from 'zod';
import { sendingAccount } from '../mailbox.ts';
import { accountId, address, bodyText, line, normalAddress, text } from '../schema.ts';
import { checkSend, followUpSend, performSend, planSend, signed } from '../send-plan.ts';
import { defineWrite } from './define-tool.ts';

const recipients = z
  .array(address)
  .min(1)
  .max(5)
  .refine((list) => new Set(list.map(normalAddress)).size === list.length, {
    message: 'names each address once',
  })
  .meta({ uniqueItems: true, description: '1 to 5 bare addresses.' });

export const sendEmail = defineWrite({
  name: 'send_email',
  title: 'Send a new message',
  description:
    'Sends a new plain text message; the account signature is appended. Usually waits for the owner.',
  group: 'mail:send',
  kind: 'gated',
  action: 'send',
  sends: true,
  repeatable: true,
  untrusted: [],
  input: z.strictObject({
    to: recipients,
    subject: line({ min: 1, max: 300, description: 'One line.' }),
    body: text({ min: 1, max: 50_000, description: 'Plain text; the account signature is appended.' }),
    account_id: accountId.optional().meta({ description: 'The sending account; omitted: the active one.' }),
  }),
  async plan(args, context) {
    const account = sendingAccount(context, args.account_id);
    const body = bodyText(args.body);
    const plan = await planSend(context, {
      tool: 'send_email',
      account,
      to: args.to,
      subject: args.subject,
      text: signed(body, account.signature),
      inReplyTo: null,
      references: [],
      targets: [],
    });
    const to = args.to.map(normalAddress).sort();
    return { plan, request: { account: account.accountId, to, subject: args.subject, body }, targets: [] };
  },
  perform: performSend,
  check: checkSend,
  followUp: (plan, run) => followUpSend(plan, run, null),
});

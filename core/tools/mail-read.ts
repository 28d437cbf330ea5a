import * as z from 'zod';
import { findReadMessage, MESSAGE_ERRORS, summaryOf } from '../call/mailbox.ts';
import { detailsOf, NAMES_SHOWN } from '../call/message-details.ts';
import { authenticationIn, senderIn } from '../call/message-sender.ts';
import { messagePassages } from '../call/shown-passages.ts';
import { messageId } from '../contract/schema.ts';
import { wrappedThirdParty } from '../contract/text-author.ts';
import { wordEnd } from '../text/seen-text.ts';
import { defineRead } from './define-tool.ts';
import { attachmentRow } from './mail-attachments.ts';
import { attachment, messageDetails } from './result-shapes.ts';

/** The most code points of body in one answer; fewer if they do not fit. */
export const BODY_CHARS = 50_000;

export const getEmail = defineRead({
  name: 'get_email',
  title: 'Read a message',
  words: { verb: 'read a message', past: 'Read %', one: 'a message' },
  description:
    'Reads one message: its text and the names of its attachments. A long text comes in parts: while body_truncated is true, call it again with body_next_offset as body_offset. For a whole conversation, use get_thread. It does not mark the message as read.',
  group: 'mail:read',
  errors: MESSAGE_ERRORS,
  kind: 'read',
  input: z.strictObject({
    id: messageId,
    body_offset: z
      .int()
      .min(0)
      .max(100_000_000)
      .default(0)
      .meta({ description: 'Where to start in the text, in characters; default 0.' }),
  }),
  output: messageDetails.extend({
    body: wrappedThirdParty(z.string()),
    body_chars: z.int().min(0).meta({ description: 'Characters of the whole text.' }),
    body_offset: z.int().min(0).meta({ description: 'Where this part starts.' }),
    body_truncated: z.boolean().meta({ description: 'true: the text goes on at body_next_offset.' }),
    body_next_offset: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'The body_offset of the next part; present if body_truncated is true.' }),
    attachments: z.array(attachment),
    attachments_total: z.int().min(0).meta({ description: 'list_attachments lists them all.' }),
  }),
  async run(args, context) {
    // Offsets count the shown text, so that the parts make up the whole.
    const window = { from: args.body_offset, most: BODY_CHARS };
    const { account, row, message } = await findReadMessage(context, args.id, window);
    context.shown(args.id);
    const summary = await summaryOf(context, { account, row });
    const { text, chars } = message.body;
    const authentication = authenticationIn(account, senderIn(message.headers.from), row);
    context.read(messagePassages({ id: args.id, account, row }, message));
    const start = Math.min(args.body_offset, chars);
    const part = Array.from(text);
    return {
      kind: 'cut',
      most: part.length,
      at(n) {
        const truncated = start + n < chars;
        const shown = truncated ? wordEnd(part, n) : n;
        return {
          ...summary,
          ...detailsOf(row, message),
          authentication,
          body: part.slice(0, shown).join(''),
          body_chars: chars,
          body_offset: args.body_offset,
          body_truncated: truncated,
          ...(truncated ? { body_next_offset: start + shown } : {}),
          attachments: message.attachments.slice(0, NAMES_SHOWN).map(attachmentRow),
          attachments_total: message.attachments.length,
        };
      },
    };
  },
});

import * as z from 'zod';
import { thirdPartyInWrites } from '../call/approval-shape.ts';
import { messageIdShape, timestamp } from '../contract/shapes.ts';
import { thirdParty, writtenBy } from '../contract/text-author.ts';

/**
 * The fields of results, as the description of the API lists them. There every object is open: clients ignore
 * unknown fields.
 */

const count = z.int().min(0);

const nextCursor = writtenBy(
  'countersign',
  z
    .string()
    .max(120)
    .regex(/^c1_[A-Za-z0-9_-]+$/)
    .meta({ description: 'Where the next page starts; present if has_more is true.' }),
);

/** For a page that counts only its own rows. */
export const partShape = {
  returned: count.meta({ description: 'Rows in this page.' }),
  has_more: z.boolean(),
  next_cursor: nextCursor.optional(),
};

export const pageShape = {
  total: count.meta({ description: 'Rows of all pages together.' }),
  ...partShape,
};

export const accountIdShape = z.int().min(1);

export const messageSummary = z.object({
  id: messageIdShape,
  account_id: accountIdShape,
  folder: writtenBy('owner', z.string()).meta({ description: 'The name of its folder.' }),
  from: thirdParty(z.string()).meta({ description: 'Name and address of the sender.' }),
  subject: thirdParty(z.string()),
  date: timestamp.meta({
    format: 'date-time',
    description: 'Of the message; if unreadable, when it arrived.',
  }),
  undeliverable: z
    .literal(true)
    .optional()
    .meta({ description: 'The server cannot deliver this message: only what is known of it is here.' }),
});

export const messageFlag = z.enum(['unread', 'flagged', 'answered', 'draft']);

const person = thirdParty(z.string());
const countIfCut = count
  .optional()
  .meta({ description: 'How many there are, up to 500; present if not all are named.' });

/** A message that was read, without its text. What there is none of is absent. */
export const messageDetails = messageSummary.extend({
  to: z.array(person).optional(),
  to_count: countIfCut,
  cc: z.array(person).optional(),
  cc_count: countIfCut,
  reply_to: z.array(person).optional().meta({ description: 'Where it differs from the sender.' }),
  flags: z.array(messageFlag).optional(),
  labels: z
    .array(writtenBy('owner', z.string()))
    .optional()
    .meta({ description: "Keywords of the mail server, or Gmail's labels." }),
  attachment_names: z.array(thirdParty(z.string())).optional(),
  encrypted: z.boolean().optional().meta({
    description: 'Present and true if some of the text is encrypted and cannot be read here.',
  }),
  signed: z.boolean().optional().meta({
    description: 'Present and true if the message carries a signature. Nobody has checked it.',
  }),
  authentication: z.enum(['pass', 'fail', 'none']).meta({
    description:
      "Whether the receiving server's own Authentication-Results prove the address in `from`; `none`: they say nothing.",
  }),
});

export const attachment = z
  .object({
    index: z.int().min(0).max(500),
    name: thirdParty(z.string()),
    mime: thirdParty(z.string()).meta({ description: 'Media type.' }),
    size: count.meta({ description: 'Bytes.' }),
  })
  .meta({ id: 'Attachment' });

/** The result of a send. */
export const sendResult = z.object({
  sent: z.boolean(),
  recipients: count.meta({ description: 'How many people it went to.' }),
  not_sent: thirdPartyInWrites.shape.not_sent,
  not_sent_total: count.optional().meta({ description: 'Present if not all of them are named.' }),
});

/** One message of a change of several. */
export const changedItem = z.object({
  id: messageIdShape,
  account_id: accountIdShape,
  done: z.boolean().optional(),
  code: writtenBy('countersign', z.string()).optional().meta({ description: 'Why it was not changed.' }),
});

/** Their number if not all of them fit into an answer. */
export const itemsOf = <T extends z.ZodType>(item: T) => ({
  items: z.array(item).optional().meta({ description: 'An outcome for each message.' }),
  items_total: count.optional().meta({ description: 'Present if not all items fit into the answer.' }),
  counts: z
    .object({ asked: count, done: count, failed: count, unknown: count })
    .optional()
    .meta({ description: 'Present if only the failed items were wanted. unknown: they may be done.' }),
});

/** The result of a change of messages. */
export const changeResult = z.object({
  done: z.boolean(),
  action: writtenBy('countersign', z.string()).meta({ description: 'What was done, such as archive.' }),
  ...itemsOf(changedItem),
});

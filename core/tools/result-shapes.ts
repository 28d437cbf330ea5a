import * as z from 'zod';
import { APPROVAL_STATES, REJECTION_REASONS } from '../approvals/approval.ts';
import { messageIdShape, timestamp } from '../contract/shapes.ts';

/**
 * The fields of results, as the description of the API lists them. There every object is open: clients ignore
 * unknown fields.
 */

const count = z.int().min(0);

const nextCursor = z
  .string()
  .max(120)
  .regex(/^c1_[A-Za-z0-9_-]+$/)
  .meta({ description: 'Where the next page starts; present if has_more is true.' });

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
  folder: z.string().meta({ description: 'The name of its folder.' }),
  from: z.string().meta({ description: 'Name and address of the sender.' }),
  subject: z.string(),
  date: timestamp.meta({
    format: 'date-time',
    description: 'Of the message; if unreadable, when it arrived.',
  }),
  undeliverable: z
    .literal(true)
    .optional()
    .meta({ description: 'The server cannot deliver this message: only what is known of it is here.' }),
});

export const authentication = z.enum(['pass', 'fail', 'none']).meta({
  description:
    "Whether the receiving server's own Authentication-Results prove the address in `from`; `none`: they say nothing.",
});

export const attachment = z
  .object({
    index: z.int().min(0).max(500),
    name: z.string(),
    mime: z.string().meta({ description: 'Media type.' }),
    size: count.meta({ description: 'Bytes.' }),
  })
  .meta({ id: 'Attachment' });

/** The fields that mark third-party text in a result. */
export const untrustedMarks = z.object({
  untrusted_fields: z.array(z.string()).min(1).meta({ description: 'Paths such as messages[].from.' }),
  untrusted_notice: z.string(),
});
export const untrustedNonce = z.object({
  untrusted_nonce: z
    .string()
    .regex(/^[0-9a-f]{32,}$/)
    .meta({ description: 'Appears only in the fence lines of this answer.' }),
});

/** Their fields as a result has them: only if it contains third-party text, and the nonce only if text is wrapped. */
export type UntrustedMarks = Partial<z.output<typeof untrustedMarks> & z.output<typeof untrustedNonce>>;

/** The result of a send. */
export const sendResult = z.object({
  sent: z.boolean(),
  recipients: count.meta({ description: 'How many people it went to.' }),
  not_sent: z.array(z.string()).optional().meta({
    description: 'Third-party names of attachments that a forward left behind; absent if there are none.',
  }),
  not_sent_total: count.optional().meta({ description: 'Present if not all of them are named.' }),
});

/** One message of a change of several. */
export const changedItem = z.object({
  id: messageIdShape,
  account_id: accountIdShape,
  done: z.boolean().optional(),
  code: z.string().optional().meta({ description: 'Why it was not changed.' }),
});

/** Their number if not all of them fit into an answer. */
export const itemsOf = <T extends z.ZodType>(item: T) => ({
  items: z.array(item).optional().meta({ description: 'An outcome for each message.' }),
  items_total: count.optional().meta({ description: 'Present if not all items fit into the answer.' }),
});

/** The result of a change of messages. */
export const changeResult = z.object({
  done: z.boolean(),
  action: z.string().meta({ description: 'What was done, such as archive.' }),
  ...itemsOf(changedItem),
});

/** Fields without a value are absent. */
export const approval = z
  .object({
    id: z
      .string()
      .max(26)
      .regex(/^apr_/)
      .meta({ examples: ['apr_5cXbA0kq1Jm2yTz8WvR3fg'] }),
    state: z.enum(APPROVAL_STATES),
    tool: z.string().meta({ description: 'The tool that was called.' }),
    action: z.string().optional().meta({ description: 'What it does, such as send.' }),
    created_at: timestamp,
    expires_at: timestamp.optional().meta({ format: 'date-time', description: 'While it is pending.' }),
    decided_at: timestamp
      .optional()
      .meta({ format: 'date-time', description: 'Once the owner has decided.' }),
    executed_at: timestamp.optional().meta({ format: 'date-time', description: 'Once it is executed.' }),
    result: z
      .looseObject({})
      .optional()
      .meta({ description: "The result of the action; see the tool's own." }),
    error: z.string().optional().meta({ description: 'Why it ended otherwise.' }),
    rejection: z
      .object({
        reason: z.enum(REJECTION_REASONS),
        note: z.string().max(500).optional().meta({ description: "A line of the owner's." }),
      })
      .optional()
      .meta({ description: 'Why the owner rejected it, if the owner said so.' }),
    edited: z
      .object({
        diff: z.string().max(4000).meta({
          description: 'A unified diff of recipients, subject and text as asked and as approved.',
        }),
      })
      .optional()
      .meta({ description: 'What the owner changed before approving it.' }),
  })
  .meta({ id: 'Approval' });

/** The answer to a read of an approval that has ended, and to a write that ran at once. */
export const endedApproval = z.object({
  approval,
  meaning: z.string().meta({ description: 'What the state means, in one sentence.' }),
  ...untrustedMarks.partial().shape,
});

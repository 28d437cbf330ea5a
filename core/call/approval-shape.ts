import * as z from 'zod';
import { APPROVAL_STATES, REJECTION_REASONS } from '../approvals/approval.ts';
import { timestamp } from '../contract/shapes.ts';
import { thirdParty, thirdPartyFields, writtenBy } from '../contract/text-author.ts';
import { untrustedMarks } from '../safety/untrusted.ts';

/** An approval in answers. */

/** The third-party texts in results of writes. A write with another one does not compile. */
export const thirdPartyInWrites = z.object({
  not_sent: z
    .array(thirdParty(z.string()))
    .optional()
    .meta({ description: 'Names of attachments that a forward left behind; absent if there are none.' }),
  title: thirdParty(z.string()).optional().meta({ description: 'Of a tracker that was created.' }),
});

/** Fields without a value are absent. */
export const approval = z
  .object({
    id: writtenBy(
      'countersign',
      z
        .string()
        .max(26)
        .regex(/^apr_/)
        .meta({ examples: ['apr_731904826550147'] }),
    ),
    state: z.enum(APPROVAL_STATES),
    tool: writtenBy('countersign', z.string()).meta({ description: 'The tool that was called.' }),
    action: writtenBy('countersign', z.string())
      .optional()
      .meta({ description: 'What it does, such as send.' }),
    summary: writtenBy('key', z.string().max(120)).optional().meta({
      description:
        'What it is about, in lists only: your own words, such as recipients, subject or folder, and counts. If the owner changed them, as approved.',
    }),
    created_at: timestamp,
    expires_at: timestamp.optional().meta({ format: 'date-time', description: 'While it is pending.' }),
    decided_at: timestamp
      .optional()
      .meta({ format: 'date-time', description: 'Once the owner has decided.' }),
    executed_at: timestamp.optional().meta({ format: 'date-time', description: 'Once it is executed.' }),
    result: writtenBy('countersign', z.looseObject(thirdPartyInWrites.shape))
      .optional()
      .meta({ description: "The result of the action; see the tool's own." }),
    error: writtenBy('countersign', z.string()).optional().meta({ description: 'Why it ended otherwise.' }),
    rejection: z
      .object({
        reason: z.enum(REJECTION_REASONS),
        note: writtenBy('owner', z.string().max(500))
          .optional()
          .meta({ description: "A line of the owner's." }),
      })
      .optional()
      .meta({ description: 'Why the owner rejected it, if the owner said so.' }),
    edited: z
      .object({
        diff: writtenBy('key', z.string().max(4000)).meta({
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
  meaning: writtenBy('countersign', z.string()).meta({
    description: 'What the state means, in one sentence.',
  }),
  ...untrustedMarks.partial().shape,
});

export const THIRD_PARTY_IN_ENDED = thirdPartyFields(endedApproval);

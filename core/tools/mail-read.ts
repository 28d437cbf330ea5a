import * as z from 'zod';
import type { CallContext } from '../call/context.ts';
import {
  findReadMessage,
  MESSAGE_ERRORS,
  type MessageSummary,
  summariesOf,
  summaryOf,
} from '../call/mailbox.ts';
import { detailsOf, NAMES_SHOWN } from '../call/message-details.ts';
import { authenticationIn, senderIn } from '../call/message-sender.ts';
import { messagePassages } from '../call/shown-passages.ts';
import { messageId } from '../contract/schema.ts';
import { messageIdShape } from '../contract/shapes.ts';
import { wrappedThirdParty } from '../contract/text-author.ts';
import { untrustedMarks, untrustedNonce } from '../safety/untrusted.ts';
import { wordEnd } from '../text/seen-text.ts';
import { defineRead, type Found } from './define-tool.ts';
import { attachmentRow } from './mail-attachments.ts';
import { ONE_SELECTION, oneSelection } from './message-selection.ts';
import { attachment, messageDetails } from './result-shapes.ts';
import { type FoundMessage, findReadMessages, NOT_THERE, rowError, severalIds } from './several-messages.ts';

/** The most code points of body in one answer; fewer if they do not fit. */
export const BODY_CHARS = 50_000;

const wholeMessage = messageDetails.extend({
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
});

const severalMessages = z.object({
  messages: z.array(
    wholeMessage.partial().extend({
      id: messageIdShape,
      left_out: z
        .literal(true)
        .optional()
        .meta({ description: 'It does not fit into this answer: read it with its id alone.' }),
      error: rowError,
    }),
  ),
  ...untrustedMarks.partial().shape,
  ...untrustedNonce.partial().shape,
});

export const getEmail = defineRead({
  name: 'get_email',
  title: 'Read messages',
  words: { verb: 'read %', past: 'Read %', many: 'messages' },
  description:
    'Reads one message (id) or several (ids): text and attachment names. A long text comes in parts: while body_truncated is true, call it again with body_next_offset as body_offset. For a whole conversation, use get_thread. It does not mark messages as read.',
  group: 'mail:read',
  errors: MESSAGE_ERRORS,
  kind: 'read',
  input: z
    .strictObject({
      id: messageId.optional(),
      ids: severalIds,
      body_offset: z
        .int()
        .min(0)
        .max(100_000_000)
        .default(0)
        .meta({ description: 'Where to start in the text, in characters; default 0.' }),
    })
    .refine(oneSelection, ONE_SELECTION)
    .refine(({ ids, body_offset }) => ids === undefined || body_offset === 0, {
      path: ['body_offset'],
      message: 'must not stand beside ids',
    }),
  output: z.union([wholeMessage, severalMessages]),
  async run({ id, ids = [], body_offset: offset }, context) {
    if (id === undefined) return readSeveral(context, ids);
    // Offsets count the shown text, so that the parts make up the whole.
    const found = await findReadMessage(context, id, { from: offset, most: BODY_CHARS });
    recordRead(context, id, found);
    const message = shownMessage(await summaryOf(context, found), found, offset);
    return { kind: 'cut', most: message.most, at: message.at };
  },
});

async function readSeveral(
  context: CallContext,
  ids: readonly string[],
): Promise<Found<z.input<typeof severalMessages>>> {
  const found = await findReadMessages(context, ids, { from: 0, most: BODY_CHARS });
  const there = [...found.values()].filter((one) => one !== undefined);
  const summaries = (await summariesOf(context, there)).values();
  const rows = Array.from(found, ([id, one]) => {
    const summary = one && summaries.next().value;
    if (one === undefined || summary === undefined) return { id, most: 0, at: () => ({ id, ...NOT_THERE }) };
    recordRead(context, id, one);
    const { most, at } = shownMessage({ ...summary, id }, one, 0);
    return { id, most, at };
  });
  const longest = rows.reduce((most, row) => Math.max(most, row.most), 0);
  return {
    kind: 'cut',
    // If the answer is too long, every text is cut at the same length. Only if that is not enough, the last messages are left out.
    most: rows.length + longest,
    at: (n) => ({
      messages: rows.map((row, index) =>
        index < n ? row.at(Math.max(1, n - rows.length)) : { id: row.id, left_out: true as const },
      ),
    }),
  };
}

function recordRead(context: CallContext, id: string, { account, row, message }: FoundMessage): void {
  context.shown(id);
  context.read(messagePassages({ id, account, row }, message));
}

/** A message whose text can be made shorter: `at(n)` has n characters of it. */
function shownMessage(summary: MessageSummary, { account, row, message }: FoundMessage, offset: number) {
  const { text, chars } = message.body;
  const part = Array.from(text);
  const start = Math.min(offset, chars);
  const facts = {
    ...summary,
    ...detailsOf(row, message),
    authentication: authenticationIn(account, senderIn(message.headers.from), row),
  };
  const attachments = message.attachments.slice(0, NAMES_SHOWN).map(attachmentRow);
  return {
    most: part.length,
    at(n: number): z.input<typeof wholeMessage> {
      const truncated = start + n < chars;
      const shown = truncated ? wordEnd(part, n) : Math.min(n, part.length);
      return {
        ...facts,
        body: part.slice(0, shown).join(''),
        body_chars: chars,
        body_offset: offset,
        body_truncated: truncated,
        ...(truncated ? { body_next_offset: start + shown } : {}),
        attachments,
        attachments_total: message.attachments.length,
      };
    },
  };
}

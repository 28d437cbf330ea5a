import * as z from 'zod';
import { readingUntilMs, readMessages, withResults } from '../accounts/read-message.ts';
import { findRow, MESSAGE_ERRORS, type MessageSummary, summariesOf } from '../call/mailbox.ts';
import { detailsOf } from '../call/message-details.ts';
import { authenticationIn, senderIn } from '../call/message-sender.ts';
import { pageFields, skipped } from '../call/paging.ts';
import { messagePassages } from '../call/shown-passages.ts';
import { cursor, limit, messageId } from '../contract/schema.ts';
import { wrappedThirdParty } from '../contract/text-author.ts';
import type { Authentication } from '../mail/authentication-results.ts';
import { headOf } from '../mail/row-text.ts';
import { wordEnd } from '../text/seen-text.ts';
import { defineRead } from './define-tool.ts';
import { missingFieldsOfTotal, missingOfTotal, missingParts } from './missing-parts.ts';
import { messageDetails, pageShape } from './result-shapes.ts';

/** Code points of one message's text. get_email reads the rest. */
export const BODY_CHARS = 4000;

interface ThreadRow {
  /** What is said of it besides its text. */
  readonly details: MessageSummary &
    ReturnType<typeof detailsOf> & { readonly authentication: Authentication };
  /** The part of its text that may be shown. */
  readonly chars: readonly string[];
  /** Of the whole text. */
  readonly bodyChars: number;
  /** The position after it in the conversation. */
  readonly next: number;
}

export const getThread = defineRead({
  name: 'get_thread',
  title: 'Read a conversation',
  words: { verb: 'read a conversation', past: 'Read % of a conversation', many: 'messages' },
  description:
    'Reads the conversation that a message belongs to, oldest message first, with the start of each text. Where body_truncated is true, get_email reads the rest.',
  group: 'mail:read',
  errors: MESSAGE_ERRORS,
  kind: 'read',
  input: z.strictObject({ id: messageId, limit: limit.default(20), cursor: cursor.optional() }),
  output: z.object({
    messages: z.array(
      messageDetails.extend({
        body: wrappedThirdParty(z.string()),
        body_shown: z.int().min(0).meta({ description: 'Characters of this part.' }),
        body_chars: z.int().min(0).meta({ description: 'Characters of the whole text.' }),
        body_truncated: z.boolean().meta({ description: 'true: get_email reads the rest.' }),
      }),
    ),
    ...missingOfTotal,
    ...pageShape,
  }),
  async run(args, context) {
    const { account, row } = await findRow(context, args.id);
    const call = context.mailCall(account);
    const { rows: thread, missing } = await context.ports.mail.thread(call, row.place);
    const besides = missingFieldsOfTotal(context, missingParts(account.accountId, missing));
    const skip = skipped(context, args.cursor);
    const wanted = thread.slice(skip, skip + args.limit).map((one) => ({ ...one, head: headOf(one) }));
    const reading = { window: { from: 0, most: BODY_CHARS }, untilMs: readingUntilMs(context) };
    const summaries = await summariesOf(
      context,
      wanted.map((row) => ({ account, row })),
    );
    const rows: ThreadRow[] = [];
    let next = skip;
    for await (const message of readMessages(context.ports, call, wanted, reading)) {
      const found = thread[next];
      const summary = summaries[next - skip];
      next += 1;
      // A message that was moved or removed since the conversation was read is not a row of this page.
      if (message === undefined || found === undefined || summary === undefined) continue;
      const { text, chars } = message.body;
      const row = withResults(found, message);
      context.read(messagePassages({ id: summary.id, account, row }, message));
      const authentication = authenticationIn(account, senderIn(message.headers.from), row);
      const details = { ...summary, ...detailsOf(row, message), authentication };
      rows.push({ details, chars: Array.from(text), bodyChars: chars, next });
    }
    const page = (until: number) => pageFields(context, skip, thread.length - skip, until - skip);
    const end = skip + wanted.length;
    for (const { details } of rows) context.shown(details.id);
    if (rows.length === 0) {
      const none = { messages: [], ...besides, ...page(end), returned: 0 };
      return { kind: 'empty', result: { ...none, reason: 'no_more_messages' } };
    }
    return {
      kind: 'cut',
      // One step per character of a row. If the answer is too long, whole rows are left out from the end.
      // Text is cut only if not even one whole row fits.
      most: rows.length * BODY_CHARS,
      at(n) {
        const whole = Math.floor(n / BODY_CHARS);
        const shown = rows.slice(0, Math.max(1, whole));
        const chars = whole === 0 ? n : BODY_CHARS;
        const until = shown.length === rows.length ? end : (shown.at(-1)?.next ?? end);
        return {
          messages: shown.map((one) => {
            const body = one.chars.slice(0, chars < one.bodyChars ? wordEnd(one.chars, chars) : chars);
            return {
              ...one.details,
              body: body.join(''),
              body_shown: body.length,
              body_chars: one.bodyChars,
              body_truncated: body.length < one.bodyChars,
            };
          }),
          ...besides,
          ...page(until),
          returned: shown.length,
        };
      },
    };
  },
});

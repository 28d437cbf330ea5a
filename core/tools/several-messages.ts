import * as z from 'zod';
import { type ReadMessage, readingUntilMs, readMessages, withResults } from '../accounts/read-message.ts';
import type { CallContext } from '../call/context.ts';
import { type AccountRow, findRow } from '../call/mailbox.ts';
import { ERRORS, ServiceError } from '../contract/errors.ts';
import { messageIdInList } from '../contract/schema.ts';
import { writtenBy } from '../contract/text-author.ts';
import { headOf } from '../mail/row-text.ts';
import type { TextWindow } from '../text/seen-body.ts';

/** Reads that take several messages (`ids`) instead of one. A message that is not there does not fail the others. */

const IDS_MAX = 20;

export const severalIds = z
  .array(messageIdInList)
  .min(1)
  .max(IDS_MAX)
  .optional()
  .meta({ description: 'Several messages; exactly one of id and ids.' });

/** What the row of a message that is not there has besides its id. */
export const NOT_THERE = { error: { code: 'not_found', message: ERRORS.not_found.message } };

export const rowError = z
  .object({ code: writtenBy('countersign', z.string()), message: writtenBy('countersign', z.string()) })
  .optional()
  .meta({ description: 'Why this message has no more than its id, such as not_found.' });

export interface FoundMessage extends AccountRow {
  readonly message: ReadMessage;
}

/**
 * Reads the messages of several ids.
 * @param window the part of their texts to return
 * @returns by id, in the order of `ids`; undefined for a message that is unknown, or no longer there
 * @throws ServiceError invalid_message_id, not_permitted @throws MailError
 */
export async function findReadMessages(
  context: CallContext,
  ids: readonly string[],
  window: TextWindow,
): Promise<ReadonlyMap<string, FoundMessage | undefined>> {
  const found = new Map<string, FoundMessage | undefined>(ids.map((id) => [id, undefined]));
  await context.handles.load(context.owner.ownerId, ids);
  const named: (AccountRow & { readonly id: string })[] = [];
  for (const id of found.keys()) {
    const there = await rowOf(context, id, `ids[${ids.indexOf(id)}]`);
    if (there !== undefined) named.push({ id, ...there });
  }
  const reading = { window, untilMs: readingUntilMs(context) };
  for (const account of context.accounts) {
    const own = named.filter((one) => one.account.accountId === account.accountId);
    const wanted = own.map(({ row }) => ({ ...row, head: headOf(row) }));
    const left = own.values();
    for await (const message of readMessages(context.ports, context.mailCall(account), wanted, reading)) {
      const { value: one } = left.next();
      if (one === undefined || message === undefined) continue;
      found.set(one.id, { account, row: withResults(one.row, message), message });
    }
  }
  return found;
}

async function rowOf(context: CallContext, id: string, field: string): Promise<AccountRow | undefined> {
  try {
    return await findRow(context, id, field);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined;
    throw error;
  }
}

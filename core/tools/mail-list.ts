import * as z from 'zod';
import type { CallContext } from '../call/context.ts';
import { type AccountRow, accountsOf } from '../call/mailbox.ts';
import { positionOf } from '../call/paging.ts';
import { accountId, cursor, limit } from '../contract/schema.ts';
import type { ListPosition, ListQuery } from '../ports/mail-reading.ts';
import { defineRead, type Found } from './define-tool.ts';
import { fields } from './fields-argument.ts';
import { folder } from './folder-argument.ts';
import { accountPage, mergedRows, messageRows, pathNamed } from './merged-rows.ts';

const listing = z.strictObject({
  account_id: accountId.optional(),
  folder: folder.optional(),
  limit: limit.default(20),
  cursor: cursor.optional(),
  fields,
});

const facts = {
  group: 'mail:read',
  errors: ['no_mail_account_connected', 'not_found', 'upstream_mail_error'],
  kind: 'read',
  input: listing,
  output: messageRows,
} as const;

export const summarizeInbox = defineRead({
  ...facts,
  name: 'summarize_inbox',
  title: 'List messages',
  words: { verb: 'list messages', past: 'Listed %', many: 'messages' },
  description:
    'Lists the newest messages of a folder, by default the inbox, of one account or of all. It returns sender, subject and date of each, not a summary. Read a message with get_email, find one with search_inbox.',
  run: (args, context) => listMessages(args, context, false),
});

export const listUnread = defineRead({
  ...facts,
  name: 'list_unread',
  title: 'List unread messages',
  words: { verb: 'list unread messages', past: 'Listed %', many: 'unread messages' },
  description:
    'Lists the newest unread messages of a folder, by default the inbox, like summarize_inbox. Listing does not mark them as read.',
  run: (args, context) => listMessages(args, context, true),
});

type Order = ListQuery['order'];

/** Account, uidValidity, uid, and INTERNALDATE in milliseconds; then the order of the list. */
const positionIn = (order: Order) => z.tuple([z.int(), z.string(), z.int(), z.int(), z.literal(order)]);
type RowPosition = z.infer<ReturnType<typeof positionIn>>;

/** One folder is in the order of its UIDs; several accounts by INTERNALDATE, with a fixed order of equal ones. */
async function listMessages(
  args: z.output<typeof listing>,
  context: CallContext,
  unread: boolean,
): Promise<Found<z.input<typeof messageRows>>> {
  const wanted = args.folder ?? 'inbox';
  const accounts = accountsOf(context, args.account_id);
  const order = accounts.length === 1 ? 'uid' : 'date';
  // The order changes between one account and several. A position of the other order is invalid here.
  const after = args.cursor === undefined ? undefined : positionOf(context, args.cursor, positionIn(order));
  const pages = await Promise.all(
    accounts.map(async (account) => {
      const path = await pathNamed(context, account, wanted);
      if (path === undefined) return undefined;
      const query = {
        path,
        unread,
        order,
        after: after && behind(after, account.accountId),
        limit: args.limit,
      } as const;
      return accountPage(account, path, context.ports.mail.list(context.mailCall(account), query));
    }),
  );
  return mergedRows(context, pages, {
    folder: wanted,
    limit: args.limit,
    fields: args.fields,
    compare: newestFirst,
    positionOf: (row) => rowPosition(row, order),
    none: { reason: unread ? 'no_unread_messages' : 'no_messages' },
  });
}

function newestFirst(a: AccountRow, b: AccountRow): number {
  return (
    b.row.internalDate.getTime() - a.row.internalDate.getTime() ||
    a.account.accountId - b.account.accountId ||
    b.row.place.uid - a.row.place.uid
  );
}

const UID_MAX = 2 ** 32 - 1;

/**
 * Returns the position from which an account continues: its own, or the instant of the other's, before or
 * after the tie.
 */
function behind([accountId, uidValidity, uid, internalDateMs]: RowPosition, account: number): ListPosition {
  if (account === accountId) return { uidValidity, uid, internalDateMs };
  return { uidValidity: null, uid: account < accountId ? 0 : UID_MAX + 1, internalDateMs };
}

function rowPosition({ account, row: { place, internalDate } }: AccountRow, order: Order): RowPosition {
  return [account.accountId, place.uidValidity, place.uid, internalDate.getTime(), order];
}

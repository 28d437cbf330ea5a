import * as z from 'zod';
import { type AccountRow, accountsOf } from '../call/mailbox.ts';
import { positionOf } from '../call/paging.ts';
import { saysWord, searchWords } from '../call/search-words.ts';
import { accountId, cursor, limit, line } from '../contract/schema.ts';
import { folderKey, type SearchPosition } from '../ports/mail-reading.ts';
import { defineRead } from './define-tool.ts';
import { fields } from './fields-argument.ts';
import { folder } from './folder-argument.ts';
import { type AccountPage, accountPage, mergedRows, messageRows, pathNamed } from './merged-rows.ts';

/**
 * Account, folder key, uid, and INTERNALDATE in milliseconds. Then the accounts whose index was asked: on the next page, it is
 * asked again.
 */
const position = z.tuple([z.int(), z.string(), z.int(), z.int()]).rest(z.int());
type RowPosition = z.infer<typeof position>;

export const searchInbox = defineRead({
  name: 'search_inbox',
  title: 'Search messages',
  words: { verb: 'search the mail', past: 'Searched the mail and listed %', many: 'messages' },
  description:
    'Finds messages in every folder, or in one folder, of one account or of all. Give at least one of q (all words must appear in sender, recipient, subject or body), from (the sender contains it) and since (a day such as 2026-03-04). Without any of them, use summarize_inbox.',
  group: 'mail:read',
  errors: ['no_mail_account_connected', 'not_found', 'upstream_mail_error'],
  kind: 'read',
  input: z
    .strictObject({
      q: line({ min: 1, max: 200, description: 'Words that must all appear.' }).optional(),
      from: line({ min: 2, max: 200, description: "Part of the sender's name or address." }).optional(),
      since: z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}$/)
        .refine((date) => z.iso.date().safeParse(date).success, { message: 'must be a day that exists' })
        .optional()
        .meta({ description: 'A day such as 2026-03-04: mail received on that day or later.' }),
      unread: z.boolean().optional().meta({ description: 'true: only unread messages.' }),
      account_id: accountId.optional(),
      folder: folder.optional(),
      limit: limit.default(20),
      cursor: cursor.optional(),
      fields,
    })
    .refine(({ q }) => q === undefined || searchWords(q).length > 0, {
      path: ['q'],
      message: 'must have at least one word',
    })
    .refine(({ q, from, since }) => (q ?? from ?? since) !== undefined, {
      path: ['q'],
      message: 'give at least one of q, from and since',
    }),
  output: messageRows,
  async run(args, context) {
    const accounts = accountsOf(context, args.account_id);
    const after = args.cursor === undefined ? undefined : positionOf(context, args.cursor, position);
    const pages = await Promise.all(
      accounts.map(async (account) => {
        const path = args.folder === undefined ? undefined : await pathNamed(context, account, args.folder);
        if (args.folder !== undefined && path === undefined) return undefined;
        const query = {
          words: searchWords(args.q ?? ''),
          from: args.from,
          since: args.since,
          unread: args.unread === true,
          path,
          after: after && behind(after, account.accountId),
          limit: args.limit,
          contains: saysWord(context),
        };
        return accountPage(account, path, context.ports.mail.search(context.mailCall(account), query));
      }),
    );
    return mergedRows(context, pages, {
      folder: args.folder ?? 'all',
      limit: args.limit,
      fields: args.fields,
      compare: newestFirst,
      positionOf: (row) => [...rowPosition(row), ...indexedAmong(pages)],
      none: { reason: 'no_match', hint: 'Try fewer or shorter words, or another folder.' },
    });
  },
});

/** The order of the port, with the account between the instant and the folder. */
function newestFirst(a: AccountRow, b: AccountRow): number {
  return (
    b.row.internalDate.getTime() - a.row.internalDate.getTime() ||
    a.account.accountId - b.account.accountId ||
    compare(folderKey(a.row.place.path), folderKey(b.row.place.path)) ||
    b.row.place.uid - a.row.place.uid
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function indexedAmong(pages: readonly (AccountPage | undefined)[]): number[] {
  return pages.flatMap((one) => (one?.page.by === 'index' ? [one.account.accountId] : []));
}

function rowPosition({ account, row }: AccountRow): RowPosition {
  const { place, internalDate } = row;
  return [account.accountId, folderKey(place.path), place.uid, internalDate.getTime()];
}

/** Before every folder key, and after every one: keys are hex. */
const FIRST_KEY = '';
const LAST_KEY = 'g';

/** Where an account continues: at its own position, or before or after the tie of that instant. */
function behind(
  [accountOfRow, key, uid, internalDateMs, ...indexed]: RowPosition,
  account: number,
): SearchPosition {
  const by = indexed.includes(account) ? 'index' : 'server';
  if (account === accountOfRow) return { internalDateMs, folderKey: key, uid, by };
  return { internalDateMs, folderKey: account < accountOfRow ? LAST_KEY : FIRST_KEY, uid: 0, by };
}

import * as z from 'zod';
import { ServiceError } from '../errors.ts';
import { accountsOf, asked, findMessage, folderNamed, summaryOf } from '../mailbox.ts';
import { cursorAt, pageFields, positionOf, skipped } from '../paging.ts';
import { MailError, type MessageRow } from '../ports/mail.ts';
import type { Account } from '../ports/storage.ts';
import { accountId, codePoints, cursor, limit, messageId } from '../schema.ts';
import { type CallContext, defineRead, type Found } from './define-tool.ts';

const ROW_FIELDS = ['messages[].from', 'messages[].subject'];

const folder = z.string().min(1).max(255).meta({
  description: 'An exact folder name, or one of inbox, sent, drafts, spam, trash, archive.',
});

export const listAccounts = defineRead({
  name: 'list_accounts',
  title: 'List mail accounts',
  description: 'The connected mail accounts with their folders and message counts.',
  group: 'mail:read',
  kind: 'read',
  untrusted: [],
  wrapped: [],
  input: z.strictObject({ cursor: cursor.optional() }),
  async run(args, context) {
    const accounts = await Promise.all(
      accountsOf(context, undefined).map((account) => described(context, account)),
    );
    const skip = skipped(context, args.cursor);
    const rest = accounts.slice(skip);
    return {
      kind: 'cut',
      // One step for each account and each folder: what does not fit is whole accounts from the end, and only where
      // not even one whole account fits, folders of it.
      most: rest.reduce((steps, account) => steps + stepsOf(account), 0),
      at(n) {
        const shown = wholeWithin(rest, n);
        const [first] = rest;
        if (shown.length === 0 && first !== undefined) {
          const { folders } = first;
          return {
            accounts: [{ ...first, folders: folders.slice(0, n - 1), folders_total: folders.length }],
            ...pageFields(context, skip, rest.length, 1),
          };
        }
        return { accounts: shown, ...pageFields(context, skip, rest.length, shown.length) };
      },
    };
  },
});

const stepsOf = ({ folders }: { folders: readonly unknown[] }) => 1 + folders.length;

/** The accounts from the first on that can be shown whole in so many steps. */
function wholeWithin<A extends { folders: readonly unknown[] }>(accounts: readonly A[], steps: number): A[] {
  const shown: A[] = [];
  let left = steps;
  for (const account of accounts) {
    left -= stepsOf(account);
    if (left < 0) break;
    shown.push(account);
  }
  return shown;
}

/** An account that cannot be asked is still a row: its folders are missing and `error` says so. */
async function described(context: CallContext, account: Account) {
  const row = {
    account_id: account.accountId,
    label: account.label,
    email: account.email,
    is_active: context.owner.activeAccountId === account.accountId,
    is_primary: account.isPrimary,
  };
  try {
    const folders = await context.ports.mail.counts(context.mailCall(account));
    const roles = folders.flatMap(({ role, unread, total }) =>
      role === null ? [] : [[role, { unread, total }] as const],
    );
    return {
      ...row,
      by_role: Object.fromEntries(roles),
      folders: folders.map(({ path, role, unread, total }) => ({ display_name: path, role, unread, total })),
    };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    context.ports.log.warn('an account could not be asked', { account: account.accountId, code: error.code });
    const folders: readonly never[] = [];
    return { ...row, by_role: {}, folders, error: 'upstream_mail_error' };
  }
}

export const summarizeInbox = defineRead({
  name: 'summarize_inbox',
  title: 'List messages',
  description:
    'The newest messages of a folder, the inbox unless another is named; of one account or of all of them.',
  group: 'mail:read',
  kind: 'read',
  untrusted: ROW_FIELDS,
  wrapped: [],
  input: z.strictObject({
    account_id: accountId.optional(),
    folder: folder.optional(),
    limit: limit.default(20),
    cursor: cursor.optional(),
  }),
  run: (args, context) => listMessages(args, context, false),
});

/** Account, uidValidity, uid, and INTERNALDATE in milliseconds. */
const position = z.tuple([z.int(), z.string(), z.int(), z.int()]);
type RowPosition = z.infer<typeof position>;

/** Source: API-NOTES.md, order: one folder by UID; several accounts by INTERNALDATE with a fixed tie-break. */
async function listMessages(
  args: {
    account_id?: number | undefined;
    folder?: string | undefined;
    limit: number;
    cursor?: string | undefined;
  },
  context: CallContext,
  unread: boolean,
): Promise<Found> {
  const wanted = args.folder ?? 'inbox';
  const accounts = accountsOf(context, args.account_id);
  const after = args.cursor === undefined ? undefined : positionOf(context, args.cursor, position);
  const order = accounts.length === 1 ? 'uid' : 'date';
  const pages = await Promise.all(
    accounts.map(async (account) => {
      const call = context.mailCall(account);
      const found = folderNamed(await asked(account, context.ports.mail.folders(call)), wanted);
      if (found === undefined) return undefined;
      const query = { path: found.path, unread, order, limit: args.limit } as const;
      const from = after && behind(after, account.accountId);
      const page = await asked(account, context.ports.mail.list(call, { ...query, after: from }));
      return { ...page, path: found.path, rows: page.rows.map((row) => ({ account, row })) };
    }),
  );
  const present = pages.filter((page) => page !== undefined);
  const [first] = present;
  if (first === undefined) throw new ServiceError('not_found', { details: { reason: 'folder' } });
  const merged = present.flatMap((page) => page.rows);
  if (order === 'date') merged.sort(newestFirst);
  const rows = merged.slice(0, args.limit);
  const moreBehind = merged.length > rows.length || present.some((page) => page.more);
  const facts = {
    folder: accounts.length === 1 ? first.path : wanted,
    total: present.reduce((sum, page) => sum + page.total, 0),
  };
  if (rows.length === 0) {
    const result = { messages: [], ...facts, returned: 0, has_more: false };
    return { kind: 'empty', result: { ...result, reason: unread ? 'no_unread_messages' : 'no_messages' } };
  }
  const summaries = rows.map(({ account, row }) => summaryOf(context, account, row));
  for (const { id } of summaries) context.listed(id);
  return {
    kind: 'cut',
    most: rows.length,
    at(n) {
      const last = rows[n - 1];
      const more = n < rows.length || moreBehind;
      return {
        messages: summaries.slice(0, n),
        ...facts,
        returned: n,
        has_more: more,
        ...(more && last !== undefined
          ? { next_cursor: cursorAt(context, rowPosition(last.account, last.row)) }
          : {}),
      };
    },
  };
}

function newestFirst(
  a: { account: Account; row: MessageRow },
  b: { account: Account; row: MessageRow },
): number {
  return (
    b.row.internalDate.getTime() - a.row.internalDate.getTime() ||
    a.account.accountId - b.account.accountId ||
    b.row.place.uid - a.row.place.uid
  );
}

const UID_MAX = 2 ** 32 - 1;

/** The position from which an account goes on: its own, or the instant of the other's, before or after the tie. */
function behind([accountId, uidValidity, uid, internalDateMs]: RowPosition, account: number) {
  if (account === accountId) return { uidValidity, uid, internalDateMs };
  return { uidValidity: null, uid: account < accountId ? 0 : UID_MAX + 1, internalDateMs };
}

function rowPosition(account: Account, { place, internalDate }: MessageRow): RowPosition {
  return [account.accountId, place.uidValidity, place.uid, internalDate.getTime()];
}

const NAME_CHARS = 100;
const ATTACHMENTS_SHOWN = 20;
/** Code points of body in one answer at most; fewer when they do not fit. */
const BODY_CHARS = 50_000;

export const getEmail = defineRead({
  name: 'get_email',
  title: 'Read a message',
  description:
    'One message with its text and the names of its attachments. A long text comes in parts: pass body_next_offset as body_offset.',
  group: 'mail:read',
  kind: 'read',
  untrusted: ['from', 'subject', 'body', 'attachments[].name', 'attachments[].mime'],
  wrapped: ['body'],
  input: z.strictObject({
    id: messageId,
    body_offset: z
      .int()
      .min(0)
      .max(100_000_000)
      .default(0)
      .meta({ description: 'Where to start in the text, in characters; default 0.' }),
  }),
  async run(args, context) {
    const {
      account,
      row,
      value: message,
    } = await findMessage(context, args.id, async (call, { place }) => {
      const read = await context.ports.mail.read(call, place);
      return { row: read.row, value: read };
    });
    context.shown(args.id);
    const chars = codePoints(message.text);
    const part = Array.from(sliceCodePoints(message.text, args.body_offset, BODY_CHARS));
    return {
      kind: 'cut',
      most: part.length,
      at(n) {
        const end = Math.min(args.body_offset, chars) + n;
        const truncated = end < chars;
        return {
          ...summaryOf(context, account, row),
          body: part.slice(0, n).join(''),
          body_chars: chars,
          body_offset: args.body_offset,
          body_truncated: truncated,
          ...(truncated ? { body_next_offset: end } : {}),
          attachments: message.attachments
            .slice(0, ATTACHMENTS_SHOWN)
            .map(({ index, name, mime, sizeBytes }) => ({
              index,
              name: Array.from(name).slice(0, NAME_CHARS).join(''),
              mime: mime.slice(0, NAME_CHARS),
              size: sizeBytes,
            })),
          attachments_total: message.attachments.length,
        };
      },
    };
  },
});

/** `count` code points from code point `from` on. */
function sliceCodePoints(text: string, from: number, count: number): string {
  let start = 0;
  for (let skipped = 0; skipped < from && start < text.length; skipped++) start += widthAt(text, start);
  let end = start;
  for (let taken = 0; taken < count && end < text.length; taken++) end += widthAt(text, end);
  return text.slice(start, end);
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

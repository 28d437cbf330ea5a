import * as z from 'zod';
import type { CallContext } from '../call/context.ts';
import {
  type AccountRow,
  findFolder,
  folderByName,
  nameAccountOnFailure,
  summariesOf,
} from '../call/mailbox.ts';
import { cursorAt, type Position } from '../call/paging.ts';
import { listedPassage } from '../call/shown-passages.ts';
import { triageOf, triageWords } from '../call/triage.ts';
import { ServiceError } from '../contract/errors.ts';
import type { Result } from '../contract/result.ts';
import { thirdParty, writtenBy } from '../contract/text-author.ts';
import type { MessageRow } from '../mail/message-row.ts';
import type { Account } from '../ports/account.ts';
import { MailError } from '../ports/mail.ts';
import type { MessagePage } from '../ports/mail-reading.ts';
import { folderName } from '../text/shortened.ts';
import type { Found } from './define-tool.ts';
import { missingFieldsOfTotal, missingOfTotal, missingParts } from './missing-parts.ts';
import { messageFlag, messageSummary, pageShape } from './result-shapes.ts';

/** Rows of messages of several accounts as one list. */

/** A list of message rows, as answers contain it. */
export const messageRows = z.object({
  messages: z.array(
    messageSummary.extend({
      to: z.array(thirdParty(z.string())).optional().meta({ description: 'The first three addresses.' }),
      to_count: z.int().min(1).optional(),
      flags: z.array(messageFlag).optional(),
      attachment_count: z.int().min(1).optional(),
      attachment_names: z.array(thirdParty(z.string())).optional().meta({ description: 'The first five.' }),
      list: z
        .boolean()
        .optional()
        .meta({ description: 'Whether it went to a mailing list, or to many people at once.' }),
      snippet: thirdParty(z.string()).optional().meta({ description: 'The start of its text.' }),
    }),
  ),
  folder: writtenBy('owner', z.string()).meta({
    description: 'The folder that was listed; all: every folder.',
  }),
  ...missingOfTotal,
  ...pageShape,
});

export interface AccountPage {
  readonly account: Account;
  /** The folder that was read; undefined: all of them. */
  readonly path: string | undefined;
  readonly page: MessagePage<MessageRow>;
  /** Why the server refuses the folder of this account. */
  readonly refusal?: ServiceError;
}

/**
 * Waits for the page of one account of possibly several.
 * @returns an empty page with the refusal if the server refuses the named folder
 */
export async function accountPage(
  account: Account,
  path: string | undefined,
  page: Promise<MessagePage<MessageRow>>,
): Promise<AccountPage> {
  try {
    return { account, path, page: await nameAccountOnFailure(account, 'folder', page) };
  } catch (error) {
    if (path === undefined || !isRefusal(error)) throw error;
    const missing = [{ path, reason: 'refused' }] as const;
    return { account, path, page: { rows: [], more: false, total: 0, missing }, refusal: error };
  }
}

function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.cause instanceof MailError && error.cause.code === 'refused';
}

/** Returns the path of the folder that a name means in an account. */
export async function pathNamed(
  context: CallContext,
  account: Account,
  name: string,
): Promise<string | undefined> {
  return (await findFolder(context, account, (folders) => folderByName(folders, name)))?.path;
}

/**
 * Merges one page per account.
 * @param pages  one per account; undefined if it has no such folder
 * @throws ServiceError not_found if no account has it, upstream_mail_error if every server refuses it
 */
export async function mergedRows(
  context: CallContext,
  pages: readonly (AccountPage | undefined)[],
  list: {
    /** The caller's name for the folder. */
    readonly folder: string;
    readonly limit: number;
    /** Default: only the rows. */
    readonly fields: 'triage' | undefined;
    /** The order among accounts. The rows of one account are already in order. */
    compare(a: AccountRow, b: AccountRow): number;
    positionOf(last: AccountRow): Position;
    /** Additional fields of an empty list. */
    readonly none: Result;
  },
): Promise<Found<z.input<typeof messageRows>>> {
  const present = pages.filter((page) => page !== undefined);
  const [first] = present;
  if (first === undefined) throw new ServiceError('not_found', { details: { reason: 'folder' } });
  if (first.refusal !== undefined && present.every(({ refusal }) => refusal !== undefined))
    throw first.refusal;
  const merged = present.flatMap(({ account, page }) => page.rows.map((row) => ({ account, row })));
  if (pages.length > 1) merged.sort(list.compare);
  const rows = merged.slice(0, list.limit);
  const moreBehind = merged.length > rows.length || present.some(({ page }) => page.more);
  const facts = {
    folder: pages.length === 1 && first.path !== undefined ? folderName(first.path) : list.folder,
    total: present.reduce((sum, { page }) => sum + page.total, 0),
    ...missingFieldsOfTotal(
      context,
      present.flatMap(({ account, page }) => missingParts(account.accountId, page.missing ?? [])),
    ),
    ...(present.some(({ page }) => page.isExact === false) && { total_exact: false as const }),
  };
  if (rows.length === 0) {
    return {
      kind: 'empty',
      result: { messages: [], ...facts, returned: 0, has_more: false, ...list.none },
    };
  }
  const summaries = await summariesOf(context, rows);
  const besides = list.fields === undefined ? [] : await triageOf(context, rows);
  const messages = summaries.map((summary, index) => ({ ...summary, ...besides[index] }));
  for (const { id } of summaries) context.listed(id);
  context.read(
    rows.map(({ account, row }, index) =>
      listedPassage({ id: summaries[index]?.id ?? '', account, row }, triageWords(besides[index] ?? {})),
    ),
  );
  return {
    kind: 'cut',
    most: rows.length,
    at(n) {
      const last = rows[n - 1];
      const more = n < rows.length || moreBehind;
      return {
        messages: messages.slice(0, n),
        ...facts,
        returned: n,
        has_more: more,
        ...(more && last !== undefined ? { next_cursor: cursorAt(context, list.positionOf(last)) } : {}),
      };
    },
  };
}

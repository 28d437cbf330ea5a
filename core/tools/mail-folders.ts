import * as z from 'zod';
import { withRoles } from '../accounts/account-folders.ts';
import type { CallContext } from '../call/context.ts';
import { accountsOf, foldersOf } from '../call/mailbox.ts';
import { pageFields, skipped } from '../call/paging.ts';
import { accountId, cursor } from '../contract/schema.ts';
import { writtenBy } from '../contract/text-author.ts';
import type { Account } from '../ports/account.ts';
import { MailError } from '../ports/mail.ts';
import type { FolderCounts, RefusedFolder } from '../ports/mail-reading.ts';
import { untrustedMarks } from '../safety/untrusted.ts';
import { folderName } from '../text/shortened.ts';
import { defineRead } from './define-tool.ts';
import { missingFields, missingMail, missingParts } from './missing-parts.ts';
import { accountIdShape, pageShape } from './result-shapes.ts';

const role = writtenBy('countersign', z.string())
  .nullable()
  .meta({ description: "Null for the owner's own folders." });
const counts = { unread: z.int().min(0), total: z.int().min(0) };

export const listAccounts = defineRead({
  name: 'list_accounts',
  title: 'List mail accounts',
  words: { verb: 'list the accounts', past: 'Listed the accounts' },
  description:
    'Lists the connected mail accounts with their folders and the number of messages and unread messages in each. Use its account_id to restrict other tools to one account.',
  group: 'mail:read',
  errors: ['no_mail_account_connected'],
  kind: 'read',
  input: z.strictObject({ cursor: cursor.optional() }),
  output: z.object({
    accounts: z.array(
      z.object({
        account_id: accountIdShape,
        label: writtenBy('owner', z.string()).meta({ description: "The owner's name for it." }),
        email: writtenBy('owner', z.string()).meta({ description: 'Its address.' }),
        is_active: z.boolean().meta({ description: 'Whether it sends if a call names no account.' }),
        is_primary: z.boolean().meta({ description: 'Whether it was connected first.' }),
        by_role: z
          .record(z.string(), z.object(counts))
          .meta({ description: 'The numbers of the folder of each role.' }),
        folders: z.array(
          z.object({
            display_name: writtenBy('owner', z.string()).meta({ description: 'Its exact name.' }),
            role,
            ...counts,
          }),
        ),
        folders_total: z
          .int()
          .min(1)
          .optional()
          .meta({ description: 'Present if not all folders of the account fit into the answer.' }),
        error: writtenBy('countersign', z.string())
          .optional()
          .meta({ description: 'Present if the account could not be reached.' }),
        ...missingMail,
      }),
    ),
    ...untrustedMarks.partial().shape,
    ...pageShape,
  }),
  async run(args, context) {
    const accounts = await Promise.all(
      accountsOf(context, undefined).map((account) => described(context, account)),
    );
    const skip = skipped(context, args.cursor);
    const rest = accounts.slice(skip);
    return {
      kind: 'cut',
      // One step per account and per folder. If the answer is too long, whole accounts are left out from the
      // end. Folders are left out only if not even one whole account fits.
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

/** Returns the first accounts that fit completely into this many steps. */
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

/** An unreachable account still has a row: its folders are missing and `error` says so. */
async function described(context: CallContext, account: Account) {
  const row = {
    account_id: account.accountId,
    label: account.label,
    email: account.email,
    is_active: context.owner.activeAccountId === account.accountId,
    is_primary: account.isPrimary,
  };
  try {
    const call = context.mailCall(account);
    const listed = await context.ports.mail.counts(call);
    const folders = withRoles(listed.filter(isCounted), account.folderRoles);
    const missing = listed
      .filter((folder) => !isCounted(folder))
      .map(({ path }) => ({ path, reason: 'refused' as const }));
    const roles = folders.flatMap(({ role, unread, total }) =>
      role === null ? [] : [[role, { unread, total }] as const],
    );
    return {
      ...row,
      by_role: Object.fromEntries(roles),
      folders: folders.map(({ path, role, unread, total }) => ({
        display_name: folderName(path),
        role,
        unread,
        total,
      })),
      ...missingFields(context, missingParts(account.accountId, missing)),
    };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    context.ports.log.warn('an account could not be reached', {
      account: account.accountId,
      code: error.code,
    });
    const folders: never[] = [];
    return { ...row, by_role: {}, folders, error: 'upstream_mail_error' };
  }
}

function isCounted(folder: FolderCounts | RefusedFolder): folder is FolderCounts {
  return !('refused' in folder);
}

export const listFolders = defineRead({
  name: 'list_folders',
  title: 'List folders',
  words: { verb: 'list the folders', past: 'Listed the folders' },
  description:
    'Lists the folders of one account or of all, each with its exact name, as move_email needs it, and its role.',
  group: 'mail:read',
  errors: ['no_mail_account_connected', 'not_found', 'upstream_mail_error'],
  kind: 'read',
  input: z.strictObject({ account_id: accountId.optional(), cursor: cursor.optional() }),
  output: z.object({
    folders: z.array(
      z.object({
        name: writtenBy('owner', z.string()).meta({ description: 'Its exact name.' }),
        role,
        account_id: accountIdShape,
      }),
    ),
    ...pageShape,
  }),
  async run(args, context) {
    const found = await Promise.all(
      accountsOf(context, args.account_id).map(async (account) => {
        const folders = await foldersOf(context, account);
        return folders.map(({ path, role }) => ({
          name: folderName(path),
          role,
          account_id: account.accountId,
        }));
      }),
    );
    const skip = skipped(context, args.cursor);
    const rest = found.flat().slice(skip);
    return {
      kind: 'cut',
      most: rest.length,
      at: (n) => ({ folders: rest.slice(0, n), ...pageFields(context, skip, rest.length, n) }),
    };
  },
});

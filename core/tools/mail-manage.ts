import * as z from 'zod';
import { label } from '../actions/label.ts';
import type { MessageTarget } from '../actions/message-target.ts';
import { type Destination, type MoveResult, move } from '../actions/move.ts';
import type { CallContext } from '../call/context.ts';
import { findFolder, nameAccountOnFailure } from '../call/mailbox.ts';
import { ServiceError } from '../contract/errors.ts';
import { invalidArgument, line } from '../contract/schema.ts';
import type { MailFolder } from '../folders/folder.ts';
import { couldPassForOwn, isReservedLabel } from '../folders/guarded-paths.ts';
import { CREATED_NAMES, isInbox } from '../folders/roles.ts';
import type { Planned } from '../plans/planned.ts';
import type { Account } from '../ports/account.ts';
import { bareFinding } from '../safety/finding.ts';
import { removedNotices } from '../safety/removed-notices.ts';
import { defineWrite } from './define-tool.ts';
import {
  ONE_SELECTION,
  oneSelection,
  previewed,
  requestOf,
  SELECTION_ERRORS,
  selectedMessages,
  selection,
} from './message-selection.ts';
import { changedItem, changeResult, itemsOf } from './result-shapes.ts';

/** Changes of the folder or the labels of messages. */

type Wanted = { readonly path: string } | { readonly role: 'archive' | 'trash' };

async function planMove(
  word: 'archive' | 'delete' | 'move',
  args: { id?: string | undefined; ids?: string[] | undefined },
  context: CallContext,
  to: Wanted,
): Promise<Planned<MoveResult>> {
  const messages = await selectedMessages(args, context);
  const searches = new Map<number, Promise<Found>>();
  const foundFor = (account: Account): Promise<Found> => {
    const found = searches.get(account.accountId) ?? folderFor(context, account, to);
    searches.set(account.accountId, found);
    return found;
  };
  const moves = await Promise.all(
    messages.map(async ({ account, target }) => ({ target, ...(await foundFor(account)) })),
  );
  if ('path' in to && moves.some(({ folder }) => folder === undefined)) {
    throw new ServiceError('not_found', { details: { reason: 'folder' } });
  }
  const there = moves.find(({ target, folder }) => folder?.path === target.path)?.target;
  if (there !== undefined) {
    const field = args.ids === undefined ? 'id' : `ids[${args.ids.indexOf(there.id)}]`;
    throw invalidArgument(field, 'same_folder', 'names a message that is in that folder already');
  }
  // Mail in Sent looks as if the owner had sent it. Mail in Drafts may be sent without another look.
  const findings = moves.some(({ isOwn }) => isOwn) ? [bareFinding('into_sent_or_drafts')] : [];
  const moving = moves.map(({ target, destination }) => ({ ...target, to: destination }));
  const wanted = moves.map(({ target, destination }) => [
    target.account.accountId,
    'role' in destination ? { role: destination.role } : destination,
  ]);
  const targets = await previewed(moving, [...findings, ...removedNotices(moving)], context);
  return {
    action: move({ kind: 'move', word, targets }),
    findings: [...findings, ...(isIntoInbox(moves) ? [] : removedNotices(targets))],
    ...requestOf(moving, { to: Object.fromEntries(wanted) }, 'path' in to ? to.path : undefined),
  };
}

/** Whether all of them move into the inbox. */
function isIntoInbox(moves: readonly Found[]): boolean {
  return moves.every(({ destination }) => !('role' in destination) && isInbox(destination.path));
}

/** The folder of one account into which messages are moved. */
interface Found {
  /** Undefined if it is missing. */
  readonly folder: MailFolder | undefined;
  /** Its messages could pass for the owner's own. */
  readonly isOwn: boolean;
  readonly destination: Destination;
}

/** @throws ServiceError not_found if the owner wants no folder for the role */
async function folderFor(context: CallContext, account: Account, to: Wanted): Promise<Found> {
  const pin = 'role' in to ? account.folderRoles[to.role] : undefined;
  if (pin?.path === null && pin.by === 'owner') {
    throw new ServiceError('not_found', { details: { reason: 'folder' } });
  }
  const path = 'path' in to ? to.path : (pin?.path ?? CREATED_NAMES[to.role]);
  const folder = await findFolder(context, account, (folders) => folders.find((one) => one.path === path));
  const isNew = folder === undefined;
  return {
    folder,
    isOwn: couldPassForOwn(folder ?? { path, delimiter: null, specialUse: null }, account.folderRoles),
    // If the role has no pin yet, the run finds or creates the folder, and pins it.
    destination: 'role' in to && (isNew || pin?.path === null) ? { role: to.role, path, isNew } : { path },
  };
}

const gated = {
  group: 'mail:manage',
  errors: SELECTION_ERRORS,
  output: changeResult,
} as const;

export const archiveEmail = defineWrite({
  ...gated,
  name: 'archive_email',
  title: 'Archive',
  words: { verb: 'archive %', past: 'Archived %', many: 'messages' },
  description:
    'Moves one message (id) or several (ids) to the archive folder. Give exactly one of id and ids. Usually answers pending_approval: nothing is done until the owner approves.',
  action: 'archive',
  input: z.strictObject(selection).refine(oneSelection, ONE_SELECTION),
  plan: (args, context) => planMove('archive', args, context, { role: 'archive' }),
});

export const deleteEmail = defineWrite({
  ...gated,
  name: 'delete_email',
  title: 'Move to the trash',
  words: { verb: 'move % to the trash', past: 'Moved % to the trash', many: 'messages' },
  description:
    'Moves one message (id) or several (ids) to the trash folder. It never deletes for good. Give exactly one of id and ids. Usually answers pending_approval: nothing is done until the owner approves.',
  action: 'delete',
  input: z.strictObject(selection).refine(oneSelection, ONE_SELECTION),
  plan: (args, context) => planMove('delete', args, context, { role: 'trash' }),
});

export const moveEmail = defineWrite({
  ...gated,
  name: 'move_email',
  title: 'Move to a folder',
  words: { verb: 'move %', past: 'Moved %', many: 'messages' },
  description:
    "Moves one message (id) or several (ids) to an existing folder of the message's account. Give exactly one of id and ids. Usually answers pending_approval: nothing is done until the owner approves.",
  action: 'move',
  ownTexts: ['into'],
  input: z
    .strictObject({
      ...selection,
      target_folder: line({
        min: 1,
        max: 255,
        description: 'An exact folder name, as list_folders shows it.',
      }),
    })
    .refine(oneSelection, ONE_SELECTION),
  plan: (args, context) => planMove('move', args, context, { path: args.target_folder }),
});

/**
 * Refuses a label that begins with a backslash, because those are the server's own. Also refuses the name of
 * a folder with a special purpose, now or later: it would put a copy into Sent or the trash.
 * @throws ServiceError invalid_arguments
 */
async function refuseReservedLabel(
  label: string,
  targets: readonly MessageTarget[],
  context: CallContext,
): Promise<void> {
  if (label.startsWith('\\')) throw invalidArgument('label', 'reserved', 'may not begin with a backslash');
  const accounts = context.accounts.filter(({ accountId }) =>
    targets.some(({ account }) => account.accountId === accountId),
  );
  for (const account of accounts) {
    const call = context.mailCall(account);
    const folders = await nameAccountOnFailure(account, 'folder', context.ports.mail.folders(call));
    if (isReservedLabel(label, account.folderRoles, delimitersOf(folders))) {
      const message = 'means a folder with a special purpose, such as Sent or Trash';
      throw invalidArgument('label', 'reserved', message);
    }
  }
}

function delimitersOf(folders: readonly MailFolder[]): readonly string[] {
  return [...new Set(folders.flatMap(({ delimiter }) => delimiter ?? []))];
}

const labelledItem = changedItem.extend({
  labelled_by: z.enum(['keyword', 'gmail_label', 'copy']).optional().meta({
    description: 'How the server keeps the label: copy is a copy in the folder of that name.',
  }),
});

export const labelEmail = defineWrite({
  ...gated,
  output: changeResult.extend(itemsOf(labelledItem)),
  name: 'label_email',
  title: 'Label',
  words: { verb: 'label %', past: 'Labelled %', many: 'messages' },
  description:
    'Puts a label on one message (id) or several (ids). Give exactly one of id and ids. Usually answers pending_approval: nothing is done until the owner approves.',
  action: 'label',
  ownTexts: ['into'],
  input: z
    .strictObject({ ...selection, label: line({ min: 1, max: 100, description: 'One line.' }) })
    .refine(oneSelection, ONE_SELECTION),
  async plan(args, context) {
    const targets = (await selectedMessages(args, context)).map(({ target }) => target);
    await refuseReservedLabel(args.label, targets, context);
    const shown = await previewed(targets, [], context);
    return {
      action: label({ kind: 'label', label: args.label, targets: shown }),
      findings: [],
      ...requestOf(targets, { label: args.label }, args.label),
    };
  },
});

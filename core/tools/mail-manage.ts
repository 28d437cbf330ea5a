import * as z from 'zod';
import { ServiceError } from '../errors.ts';
import { folderForRole, folderRolesOf } from '../folders/account-folders.ts';
import { isReservedLabel, isReservedPath, passesForOwn } from '../folders/guarded-paths.ts';
import { MADE_NAMES } from '../folders/roles.ts';
import type { Hold } from '../holds.ts';
import { asked, findFolder, placeOf } from '../mailbox.ts';
import type { Result } from '../outcome.ts';
import type { ActionPlan, MessageTarget } from '../plan.ts';
import { MailError, type MailFolder } from '../ports/mail.ts';
import type { Account } from '../ports/storage.ts';
import { invalidArgument, line } from '../schema.ts';
import { type CallContext, type Checked, defineWrite, type Planned, type RunContext } from './define-tool.ts';
import {
  changeEach,
  ONE_SELECTION,
  oneSelection,
  planChange,
  selectedTargets,
  selection,
} from './message-selection.ts';
import { changeResult } from './result-shapes.ts';

/** Changes of where messages lie and what they are filed under. */

/** A folder by its exact path, or that of a role. */
const destination = z.union([
  z.strictObject({ path: z.string() }),
  z.strictObject({ role: z.enum(['archive', 'trash']) }),
]);
type Destination = z.infer<typeof destination>;

/** What the plan of a move keeps: by account, the path; the role only where the account lacks it and it is made. */
const moveRecord = z.strictObject({ to: z.record(z.string(), destination) });
type MoveRecord = z.infer<typeof moveRecord>;

async function planMove(
  tool: string,
  args: { id?: string | undefined; ids?: string[] | undefined },
  context: CallContext,
  to: Destination,
): Promise<Planned> {
  const targets = await selectedTargets(args, context);
  const accounts = context.accounts.filter(({ accountId }) =>
    targets.some((target) => target.accountId === accountId),
  );
  const found = await Promise.all(accounts.map((account) => destinationFor(context, account, to)));
  if ('path' in to && found.some(({ folder }) => folder === undefined)) {
    throw new ServiceError('not_found', { details: { reason: 'folder' } });
  }
  const there = targets.find((target) =>
    found.some(
      ({ account, folder }) => account.accountId === target.accountId && folder?.path === target.path,
    ),
  );
  if (there !== undefined) {
    const field = args.ids === undefined ? 'id' : `ids[${args.ids.indexOf(there.id)}]`;
    throw invalidArgument(field, 'same_folder', 'names a message that is in that folder already');
  }
  // What lies in Sent looks as if the owner had sent it; what lies in Drafts may be sent without another look.
  const holds: Hold[] = found.some(({ isOwn }) => isOwn) ? ['into_sent_or_drafts'] : [];
  const record: MoveRecord = {
    to: Object.fromEntries(found.map(({ account, kept }) => [account.accountId, kept])),
  };
  const display = found.map(({ account, folder, newPath }) => ({
    label: found.length === 1 ? 'To folder' : `To folder, account ${account.accountId} (${account.email})`,
    text: folder?.path ?? `${newPath} (a new folder)`,
  }));
  return planChange(context, { tool, targets, holds, display, record });
}

/**
 * The folder of one account that messages are to be moved into.
 * @returns `folder`: undefined when it is missing; `newPath`: what it is then created as; `isOwn`: what lies in it could
 *   pass for the owner's own; `kept`: what the plan keeps
 * @throws ServiceError not_found when the owner wants no folder for the role
 */
async function destinationFor(context: CallContext, account: Account, to: Destination) {
  const mailbox = { account, call: context.mailCall(account) };
  const roles = await asked(account, 'folder', folderRolesOf(context.ports, mailbox));
  const pin = 'role' in to ? roles[to.role] : undefined;
  if (pin?.path === null && pin.by === 'owner') {
    throw new ServiceError('not_found', { details: { reason: 'folder' } });
  }
  const path = 'path' in to ? to.path : (pin?.path ?? MADE_NAMES[to.role]);
  const folder = await findFolder(context, account, (folders) => folders.find((one) => one.path === path));
  const isOwn = passesForOwn(folder ?? { path, delimiter: null, specialUse: null }, roles);
  // A folder that no role is pinned to yet is found, or created, and pinned by the run.
  const kept: Destination = folder === undefined || pin?.path === null ? to : { path };
  return { account, folder, newPath: path, isOwn, kept };
}

function destinationOf(plan: ActionPlan, account: Account): Destination {
  const to = moveRecord.parse(plan.record).to[String(account.accountId)];
  if (to === undefined) throw new Error('the plan of a move names a folder for each account');
  return to;
}

const performMove = (action: string) => (plan: ActionPlan, run: RunContext) =>
  changeEach(plan, run, action, async (mailbox, row) => {
    const to = destinationOf(plan, mailbox.account);
    const path = 'path' in to ? to.path : await folderForRole(run.ports, mailbox, to.role);
    await run.ports.mail.move(mailbox.call, row.place, path, run.start);
    return {};
  });

/**
 * Each message is looked for where it was and where it was to go. When nothing has moved, all is repeated; when some
 * messages have, those that have not are left where they are, and the result says which.
 */
const checkMove =
  (action: string) =>
  async (plan: ActionPlan, run: RunContext): Promise<Checked> => {
    const items: Result[] = [];
    for (const target of plan.targets) {
      const moved = await hasMoved(plan, run, target);
      if (moved === undefined) return { kind: 'unknown' };
      const named = { id: target.id, account_id: target.accountId };
      items.push(moved ? { ...named, done: true } : { ...named, done: false, code: 'interrupted' });
    }
    if (!items.some((item) => item.done)) return { kind: 'repeat' };
    return { kind: 'happened', result: { done: true, action, items } };
  };

/** Undefined: it is in both places (copied and not removed, or a twin of it was there before), or in neither. */
async function hasMoved(
  plan: ActionPlan,
  run: RunContext,
  target: MessageTarget,
): Promise<boolean | undefined> {
  const { mail } = run.ports;
  const mailbox = await run.mailbox(target.accountId);
  const { account, call } = mailbox;
  const to = destinationOf(plan, account);
  const path = 'path' in to ? to.path : (await folderRolesOf(run.ports, mailbox))[to.role].path;
  const alike = await mail.find(call, {
    stableId: target.stableId,
    internalDate: new Date(target.internalDateMs),
    sizeBytes: target.sizeBytes,
  });
  const arrived = alike.some((row) => row.place.path === path && row.fingerprint === target.fingerprint);
  const stayed = (await placeOf(mail, call, target)) !== undefined;
  return arrived === stayed ? undefined : arrived;
}

const gated = {
  group: 'mail:manage',
  kind: 'gated',
  sends: false,
  repeatable: false,
  relocates: true,
  untrusted: [],
  output: changeResult,
} as const;

export const archiveEmail = defineWrite({
  ...gated,
  name: 'archive_email',
  title: 'Archive',
  description:
    'Moves one message (id) or several (ids) to the archive folder. Give exactly one of id and ids.',
  action: 'archive',
  input: z.strictObject(selection).refine(oneSelection, ONE_SELECTION),
  plan: (args, context) => planMove('archive_email', args, context, { role: 'archive' }),
  perform: performMove('archive'),
  check: checkMove('archive'),
});

export const deleteEmail = defineWrite({
  ...gated,
  name: 'delete_email',
  title: 'Move to the trash',
  description: 'Moves one message (id) or several (ids) to the trash folder. Give exactly one of id and ids.',
  action: 'delete',
  input: z.strictObject(selection).refine(oneSelection, ONE_SELECTION),
  plan: (args, context) => planMove('delete_email', args, context, { role: 'trash' }),
  perform: performMove('delete'),
  check: checkMove('delete'),
});

export const moveEmail = defineWrite({
  ...gated,
  name: 'move_email',
  title: 'Move to a folder',
  description:
    "Moves one message (id) or several (ids) to a folder of the message's account. Give exactly one of id and ids.",
  action: 'move',
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
  plan: (args, context) => planMove('move_email', args, context, { path: args.target_folder }),
  perform: performMove('move'),
  check: checkMove('move'),
});

/**
 * A label that begins with a backslash is one of the server's own. One that is, or could become, a folder with a purpose
 * of its own would put a copy into Sent or the trash.
 * @throws ServiceError invalid_arguments
 */
async function refuseReservedLabel(
  label: string,
  targets: readonly MessageTarget[],
  context: CallContext,
): Promise<void> {
  if (label.startsWith('\\')) throw invalidArgument('label', 'reserved', 'may not begin with a backslash');
  const accounts = context.accounts.filter(({ accountId }) =>
    targets.some((target) => target.accountId === accountId),
  );
  for (const account of accounts) {
    const mailbox = { account, call: context.mailCall(account) };
    const roles = await asked(account, 'folder', folderRolesOf(context.ports, mailbox));
    const folders = await asked(account, 'folder', context.ports.mail.folders(mailbox.call));
    if (isReservedLabel(label, roles, delimitersOf(folders))) {
      const message = 'means a folder that has a purpose of its own, such as Sent or Trash';
      throw invalidArgument('label', 'reserved', message);
    }
  }
}

function delimitersOf(folders: readonly MailFolder[]): readonly string[] {
  return [...new Set(folders.flatMap(({ delimiter }) => delimiter ?? []))];
}

const labelRecord = z.strictObject({ label: z.string() });

export const labelEmail = defineWrite({
  ...gated,
  name: 'label_email',
  title: 'Label',
  description: 'Puts a label on one message (id) or several (ids). Give exactly one of id and ids.',
  action: 'label',
  input: z
    .strictObject({ ...selection, label: line({ min: 1, max: 100, description: 'One line.' }) })
    .refine(oneSelection, ONE_SELECTION),
  async plan(args, context) {
    const targets = await selectedTargets(args, context);
    const { label } = args;
    await refuseReservedLabel(label, targets, context);
    const display = [{ label: 'Label', text: label }];
    return planChange(context, { tool: 'label_email', targets, holds: [], display, record: { label } });
  },
  perform: (plan, run) =>
    changeEach(plan, run, 'label', async (mailbox, row) => {
      const { label } = labelRecord.parse(plan.record);
      // The owner may have chosen other folders since it was filed.
      const roles = await folderRolesOf(run.ports, mailbox);
      const mayCopyInto = (path: string) => !isReservedPath(path, roles);
      if (isReservedLabel(label, roles, [])) {
        throw new MailError('refused', 'the label means a folder that has a purpose of its own');
      }
      const request = { name: label, mayCopyInto };
      return { labelled_by: await run.ports.mail.label(mailbox.call, row.place, request, run.start) };
    }),
  // Where a label is a copy, another attempt could make a second one.
  check: async () => ({ kind: 'unknown' }),
});

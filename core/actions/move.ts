import * as z from 'zod';
import { folderForRole } from '../accounts/account-folders.ts';
import { arrivalIdentity } from '../accounts/arrival-identity.ts';
import type { Relocated } from '../approvals/run-storage.ts';
import { isInbox } from '../folders/roles.ts';
import { canonicalJson } from '../text/canonical-json.ts';
import type { Action, ActionFacts, RunContext } from './action.ts';
import { type Changed, type ChangedItem, changeEach, named } from './change-messages.ts';
import { accountOf, messageTarget, placeOf, reachOf } from './message-target.ts';

/** Moves messages, each to a folder of its own account. */

const destination = z.union([
  /** A folder that existed when the plan was made. */
  z.strictObject({ path: z.string() }),
  /** The folder of a role without a pin: the run finds or creates it, and pins it. */
  z.strictObject({
    role: z.enum(['archive', 'trash']),
    path: z.string().describe('Its expected name.'),
    isNew: z.boolean(),
  }),
]);
export type Destination = z.infer<typeof destination>;

const moving = messageTarget.extend({ to: destination });
type Moving = z.infer<typeof moving>;

export const storedMove = z.strictObject({
  kind: z.literal('move'),
  word: z.enum(['archive', 'delete', 'move']),
  targets: z.array(moving).min(1),
});
type StoredMove = z.infer<typeof storedMove>;

export type MoveResult = Changed<object>;

export function move(stored: StoredMove): Action<StoredMove, MoveResult> {
  const { word, targets } = stored;
  return {
    stored,
    account: accountOf(targets),
    isHeldWhenRepeated: false,
    relocated: targets.map(relocation),
    recipients: [],
    reach: reachOf(targets),
    facts: async () => ({
      effect: { kind: 'move', word, folders: foldersOf(targets) },
      details: destinations(targets),
      targets,
    }),
    async perform(run) {
      const items = await changeEach(targets, run, async (mailbox, row, { to }) => {
        const path = 'role' in to ? await folderForRole(run.ports, mailbox, to.role) : to.path;
        await run.ports.mail.move(mailbox.call, row.place, path, run.start);
        return {};
      });
      return { done: true, action: word, items };
    },
    /**
     * Looks for each message in its old and new folder. If nothing has moved, everything runs again. If some
     * messages have moved, the others stay where they are, and the result says which.
     */
    async check(run) {
      const items: ChangedItem<object>[] = [];
      for (const target of targets) {
        const isMoved = await hasMoved(target, run);
        if (isMoved === undefined) return { kind: 'unknown' };
        items.push(
          isMoved ? { ...named(target), done: true } : { ...named(target), done: false, code: 'interrupted' },
        );
      }
      if (!items.some(({ done }) => done)) return { kind: 'not' };
      return { kind: 'happened', result: { done: true, action: word, items } };
    },
  };
}

function relocation(target: Moving): Relocated {
  const { mark, account, to } = target;
  if ('role' in to || !isInbox(to.path)) return { mark, movedIn: null };
  return { mark, movedIn: { accountId: account.accountId, identity: arrivalIdentity(mark, target) } };
}

function foldersOf(targets: readonly Moving[]) {
  const folders = targets.map(({ to }) => ({ path: to.path, isNew: 'role' in to && to.isNew }));
  return [...new Map(folders.map((folder) => [canonicalJson(folder), folder])).values()];
}

/** One line per account. */
function destinations(targets: readonly Moving[]): ActionFacts['details'] {
  const accounts = new Map(targets.map(({ account, to }) => [account.accountId, { account, to }]));
  return [...accounts.values()].map(({ account, to }) => ({
    label: accounts.size === 1 ? 'To folder' : `To folder, account ${account.accountId} (${account.email})`,
    text: 'role' in to && to.isNew ? `${to.path} (a new folder)` : to.path,
  }));
}

/** Undefined: it is in both places (copied and not removed, or a twin was there before), or in neither. */
async function hasMoved(target: Moving, run: RunContext): Promise<boolean | undefined> {
  const { mail } = run.ports;
  const mailbox = await run.mailbox(target.account.accountId);
  const { to } = target;
  const path = 'role' in to ? mailbox.account.folderRoles[to.role].path : to.path;
  const alike = await mail.find(mailbox.call, {
    stableId: target.stableId,
    internalDate: new Date(target.internalDateMs),
    sizeBytes: target.sizeBytes,
  });
  const arrived = alike.some((row) => row.place.path === path && row.fingerprint === target.fingerprint);
  const stayed = (await placeOf(mail, mailbox.call, target)) !== undefined;
  return arrived === stayed ? undefined : arrived;
}

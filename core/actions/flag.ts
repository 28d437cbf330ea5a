import * as z from 'zod';
import type { MailFlag } from '../mail/listed-message.ts';
import { folderName } from '../text/shortened.ts';
import type { LightAction } from './action.ts';
import { type Changed, type ChangedItem, changeEach, named } from './change-messages.ts';
import { type MessageState, messageState } from './message-state.ts';
import { accountOf, messageTarget, placeOf, reachOf } from './message-target.ts';

/** Marks messages as read, unread or flagged. Safe to repeat. */

/** The states of a message and their flags. */
const STATES = {
  read: { word: 'mark_read', flag: 'seen', on: true },
  unread: { word: 'mark_unread', flag: 'seen', on: false },
  flagged: { word: 'flag_email', flag: 'flagged', on: true },
} as const satisfies Record<string, { word: string; flag: MailFlag; on: boolean }>;

export const storedFlag = z.strictObject({
  kind: z.literal('flag'),
  state: messageState,
  targets: z.array(messageTarget).min(1),
});
type StoredFlag = z.infer<typeof storedFlag>;

type Marked = { readonly state: MessageState; readonly matches_request: boolean };

/** One message: its bare item, with its folder. Several: `items`. */
type DirectResult =
  | ({ readonly id: string; readonly account_id: number; readonly folder: string } & Marked)
  | { readonly items: ChangedItem<Marked>[] };

export function flag(stored: StoredFlag): LightAction<StoredFlag, Changed<Marked>, DirectResult> {
  const { state, targets } = stored;
  const { word, flag, on } = STATES[state];
  return {
    stored,
    account: accountOf(targets),
    isHeldWhenRepeated: false,
    relocated: [],
    recipients: [],
    reach: reachOf(targets),
    facts: async () => ({
      effect: { kind: 'flag', state },
      details: [{ label: 'Change', text: `mark as ${state}` }],
      targets,
    }),
    async perform(run) {
      const items = await changeEach(targets, run, async ({ call }, row) => ({
        state,
        matches_request: await run.ports.mail.setFlag(call, row.place, flag, on, run.start),
      }));
      return { done: true, action: word, items };
    },
    async check(run) {
      const items: ChangedItem<Marked>[] = [];
      for (const target of targets) {
        const { call } = await run.mailbox(target.account.accountId);
        const row = await placeOf(run.ports.mail, call, target);
        if (row === undefined || row.flags.has(flag) !== on) return { kind: 'not' };
        items.push({ ...named(target), state, matches_request: true, done: true });
      }
      return { kind: 'happened', result: { done: true, action: word, items } };
    },
    direct({ items }) {
      const [[target], [item]] = [targets, items];
      if (targets.length > 1 || target === undefined || !item?.done) return { items };
      const { done: _done, ...marked } = item;
      return { ...marked, folder: folderName(target.path) };
    },
  };
}

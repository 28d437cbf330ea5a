import { STORED } from '../secrets/stored-purposes.ts';
import { putRows, update } from '../state/change.ts';
import { instant, integer, listOf, sealed, text } from '../state/column.ts';
import { all, select, statements } from '../state/query.ts';
import type { StateStore } from '../state/store.ts';
import { type RowOf, table } from '../state/table.ts';
import { DAY_MS } from '../time/durations.ts';
import { accounts } from './account-state.ts';
import type { Candidate, Compared } from './message-handle.ts';

/** The handles of messages that calls and events have shown. */
export const messageHandles = table(
  'message_handles',
  {
    ownerId: text(),
    accountId: integer(),
    /** No other message of the owner has it. */
    handle: integer(),
    /** As `handledText` returns it. */
    sealed: sealed(STORED.messageHandle),
    /** When the message was last shown, at most a day late. */
    seen: instant(),
  },
  {
    key: ['ownerId', 'accountId', 'handle'],
    // Handles come in no order: in the tree of the key, a third of each page would be empty.
    isWide: true,
    erased: { by: 'seen', before: 'messageHandlesBefore' },
    indexes: { message_handles_by_age: { on: ['seen'] } },
  },
);
export type KeptHandle = RowOf<typeof messageHandles>;

export const messageHandleStatements = statements({
  /** Of every account of the owner. */
  kept_handles: {
    params: { ownerId: text(), handleList: listOf(integer()) },
    columns: messageHandles.columns,
  },
});
const accountIdsOfOwner = select(accounts, { by: ['ownerId'], only: ['accountId'] });

/** A message that is about to be shown. */
export interface ShownMessage {
  readonly accountId: number;
  /** The preferred one first. */
  readonly candidates: readonly Candidate[];
  seal(handle: number): string;
  compare(row: KeptHandle): Compared;
}

export type MessageHandleStorage = ReturnType<typeof messageHandleStorage>;

export function messageHandleStorage({ unit, look, apply }: StateStore) {
  return {
    /**
     * The handle of each message, in their order. One that has none gets the first candidate that nothing else has. Kept
     * until it was not shown for 90 days, or the account is removed; that of an account that is gone is not kept.
     */
    messageHandles(
      ownerId: string,
      messages: readonly ShownMessage[],
      now: Date,
    ): Promise<readonly number[]> {
      const candidates = messages.flatMap((one) => one.candidates.map(({ handle }) => handle));
      const facts = {
        kept: all(messageHandleStatements.kept_handles, { ownerId, handleList: [...new Set(candidates)] }),
        connected: all(accountIdsOfOwner, { ownerId }),
      };
      return unit('relaxed', { ownerId }, facts, ({ kept, connected }) => {
        const rows = new Map(kept.map((row) => [row.handle, row]));
        const answer = messages.map((message) => handleOf(ownerId, message, rows, now));
        const accountIds = new Set(connected.map(({ accountId }) => accountId));
        const before = new Set(kept);
        const changed = [...rows.values()].filter((row) => !before.has(row) && accountIds.has(row.accountId));
        return { answer, changes: changed.length === 0 ? [] : [putRows(messageHandles, changed)] };
      });
    },

    /** What is kept behind the handles of an owner. Those that are unknown are left out. */
    async handledMessages(ownerId: string, handles: readonly number[]): Promise<readonly KeptHandle[]> {
      const found = all(messageHandleStatements.kept_handles, { ownerId, handleList: handles });
      return (await look({ found })).found;
    },

    /** Changes what handles stand for, if they are kept. */
    replaceHandledMessages(
      ownerId: string,
      rows: readonly Omit<KeptHandle, 'ownerId' | 'seen'>[],
    ): Promise<void> {
      return apply(
        ownerId,
        rows.map(({ sealed, ...key }) => update(messageHandles, { ownerId, ...key }, { sealed })),
      );
    },
  };
}

/** @param rows  the kept ones by their handles; the row of the answer is set, if it changes */
function handleOf(
  ownerId: string,
  { accountId, candidates, seal, compare }: ShownMessage,
  rows: Map<number, KeptHandle>,
  now: Date,
): number {
  const compared = candidates.flatMap(({ handle }) => {
    const row = rows.get(handle);
    return row === undefined ? [] : [{ row, is: compare(row) }];
  });
  const same = compared.find(({ is }) => is === 'same')?.row;
  if (same !== undefined) {
    if (same.seen.getTime() <= now.getTime() - DAY_MS) rows.set(same.handle, { ...same, seen: now });
    return same.handle;
  }
  const renumbered = compared.find(({ is }) => is === 'renumbered')?.row;
  const free = candidates.find(({ handle, isForNew }) => isForNew && !rows.has(handle));
  const handle = (renumbered ?? free)?.handle;
  // Of 10,000,000,000,000 handles, two would have to be taken by chance.
  if (handle === undefined) throw new Error('every candidate for the handle of a message is taken');
  rows.set(handle, { ownerId, accountId, handle, sealed: seal(handle), seen: now });
  return handle;
}

import type { InboxPosition, WaitingTracker, WatchedInbox } from '../../core/ports/watch-storage.ts';
import { readAccounts } from './account.ts';
import { flag, instant, integer, type Row, text, textOrNull } from './row.ts';

export function readPosition(row: Row): InboxPosition | undefined {
  if (!flag(row, 'is_watched')) return undefined;
  return { uidValidity: textOrNull(row, 'uid_validity'), uid: integer(row, 'uid') };
}

/** @param rows  accounts of several owners with their inboxes, grouped by owner, oldest first */
export function readWatchedInboxes(rows: readonly Row[]): readonly WatchedInbox[] {
  const owners = new Map<string, Row[]>();
  for (const row of rows) {
    const ownerId = text(row, 'owner_id');
    const others = owners.get(ownerId);
    if (others === undefined) owners.set(ownerId, [row]);
    else others.push(row);
  }
  return [...owners.values()].flatMap((ofOwner) =>
    readAccounts(ofOwner).map((account, n) => {
      const row = ofOwner[n];
      return { account, position: row && readPosition(row) };
    }),
  );
}

export function readWaitingTracker(row: Row): WaitingTracker {
  return {
    trackerId: integer(row, 'tracker_id'),
    keywords: text(row, 'keywords'),
    createdAt: instant(row, 'created_at_ms'),
  };
}

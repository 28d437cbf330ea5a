interface Inbox {
  readonly ownerId: string;
  readonly accountId: number;
}

/**
 * Chooses the inboxes that get a connection of their own. Every owner's oldest account comes first, then every owner's
 * second, and so on: nobody's accounts take all the places. Pure.
 * @param most the number of places
 */
export function announcedInboxes<One extends Inbox>(inboxes: readonly One[], most: number): ReadonlySet<One> {
  if (inboxes.length <= most) return new Set(inboxes);
  const ofOwner = new Map<string, number>();
  const ranked = inboxes
    .toSorted((a, b) => a.accountId - b.accountId)
    .map((inbox) => {
      const rank = ofOwner.get(inbox.ownerId) ?? 0;
      ofOwner.set(inbox.ownerId, rank + 1);
      return { inbox, rank };
    });
  // Between owners the order is arbitrary, but it stays the same: no inbox is opened and closed in turn.
  const chosen = ranked.sort((a, b) => a.rank - b.rank || (a.inbox.ownerId < b.inbox.ownerId ? -1 : 1));
  return new Set(chosen.slice(0, most).map(({ inbox }) => inbox));
}

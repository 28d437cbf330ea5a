import { appendedEvent } from '../events/event-storage.ts';
import { NEW_MAIL } from '../events/webhook-event.ts';
import type { Random } from '../secrets/random.ts';
import { eventId } from '../secrets/record-ids.ts';
import { put, type RowChange, remove, update } from '../state/change.ts';
import { all, first, single } from '../state/query.ts';
import { type StateStore, unchanged, type Verdict } from '../state/store.ts';
import { type TrackerRow, trackerStatements, trackersAmong } from '../trackers/tracker-state.ts';
import { addedLink, type LinkedMessage, withNewMessage } from '../trackers/tracker-storage.ts';
import {
  type InboxPosition,
  type InboxReader,
  inboxLeases,
  inboxReaders,
  inboxStatements,
  leaseOfInbox,
  leasesOfOwner,
  movedInAmong,
  movedIntoInbox,
  readerOfInbox,
} from './inbox-state.ts';

export interface InboxToWatch {
  readonly ownerId: string;
  readonly accountId: number;
  /** Somebody has it, by the store's clock. */
  readonly isLeased: boolean;
}

export interface InboxStep {
  readonly ownerId: string;
  readonly accountId: number;
  readonly fence: number;
  readonly reader: InboxReader;
  readonly from: InboxPosition;
  readonly to: InboxPosition;
  /** The messages of new events. */
  readonly received: readonly ReceivedMessage[];
  readonly links: readonly InboxLink[];
  readonly now: Date;
}

export interface ReceivedMessage {
  /** See `arrivalIdentity`. */
  readonly identity: string;
  /** As on the wire. */
  readonly messageId: string;
}

export interface InboxLink {
  readonly trackerId: number;
  readonly target: string;
  readonly message: LinkedMessage;
}

/** The inboxes that are watched for new mail. */
export type InboxStorage = ReturnType<typeof inboxStorage>;

/** @param random  source of the ids of events */
export function inboxStorage({ unit, look }: StateStore, random: Random) {
  return {
    /**
     * The inboxes that something may wait for: those of owners with an enabled endpoint for `message.received` or an
     * active tracker with keywords. `leaseInboxes` decides. @param every  every inbox
     */
    async inboxesToWatch(every: boolean): Promise<readonly InboxToWatch[]> {
      return (await look({ found: all(inboxStatements.inboxes_to_watch, { all: every }) })).found;
    },

    /** Gives leased inboxes back, so that another process can have them at once. @param held  the fence of each inbox */
    releaseInboxes: (ownerId: string, held: ReadonlyMap<number, number>): Promise<void> =>
      unit('relaxed', { ownerId }, { leases: all(leasesOfOwner, { ownerId }) }, ({ leases }) => ({
        answer: undefined,
        changes: leases
          .filter(({ accountId, fence }) => held.get(accountId) === fence)
          .map(({ accountId }) => update(inboxLeases, { ownerId, accountId }, { leaseUntilMs: 0 })),
      })),

    /**
     * Moves a reader of an inbox, and adds the events and links found on the way, atomically and in order. Links follow
     * the rules of `linkToTracker`, added by `auto`. A tracker that was resolved in the meantime gets none. A message that
     * a request moved into the inbox causes no event.
     * @returns false, with no change, if the fence is lost, the position is no longer `from`, or the account was removed
     */
    advanceInbox: (step: InboxStep): Promise<boolean> => {
      const { ownerId, accountId, reader, received, links } = step;
      const identityList = received.map(({ identity }) => identity);
      const trackerIdList = [...new Set(links.map(({ trackerId }) => trackerId))];
      const targetList = [...new Set(links.map(({ target }) => target))];
      const facts = {
        lease: first(leaseOfInbox, { ownerId, accountId }),
        stored: first(readerOfInbox, { ownerId, accountId, reader }),
        movedIn: all(movedInAmong, { ownerId, accountId, identityList }),
        trackers: all(trackersAmong, { ownerId, trackerIdList }),
        linked: all(trackerStatements.linked_targets, { ownerId, trackerIdList, targetList }),
        last: single(trackerStatements.last_link, { ownerId }),
      };
      return unit('relaxed', { ownerId }, facts, ({ lease, stored, movedIn, ...links }) => {
        const position = stored?.position;
        const isMoved = position?.uidValidity !== step.from.uidValidity || position.uid !== step.from.uid;
        if (lease?.fence !== step.fence || isMoved) return unchanged(false);
        const identities = movedIn.map(({ identity }) => identity);
        return advance(step, identities, links, random);
      });
    },
  };
}

interface LinkFacts {
  readonly trackers: readonly TrackerRow[];
  readonly linked: readonly { readonly trackerId: number; readonly target: string }[];
  readonly last: { readonly lastId: number };
}

/** Moves a reader of an inbox, and adds what it found. @param identities  of messages that a request moved into the inbox */
function advance(
  step: InboxStep,
  identities: readonly string[],
  links: LinkFacts,
  random: Random,
): Verdict<boolean> {
  const { ownerId, accountId, reader, to, received, now } = step;
  const changes: RowChange[] = [put(inboxReaders, { ownerId, accountId, reader, position: to, ended: null })];
  const movedIn = new Set(identities);
  for (const { identity, messageId } of received) {
    if (movedIn.delete(identity)) {
      changes.push(remove(movedIntoInbox, { ownerId, accountId, identity }));
      continue;
    }
    const data = { account_id: accountId, message_id: messageId };
    const event = { id: eventId(random), type: NEW_MAIL, credentialId: null, createdAt: now, data } as const;
    changes.push(appendedEvent(ownerId, event));
  }
  return { answer: true, changes: [...changes, ...addLinks(links, step)] };
}

function addLinks({ trackers, linked, last }: LinkFacts, { ownerId, links, now }: InboxStep): RowChange[] {
  const changes: RowChange[] = [];
  const active = new Set(trackers.flatMap((one) => (one.status === 'resolved' ? [] : [one.trackerId])));
  const linkedTargets = new Set(linked.map(({ trackerId, target }) => `${trackerId} ${target}`));
  let linkId = last.lastId;
  const newest = new Map<number, number>();
  const added = { addedBy: 'auto', createdAt: now } as const;
  for (const { trackerId, target, message } of links) {
    const name = `${trackerId} ${target}`;
    if (!active.has(trackerId) || linkedTargets.has(name)) continue;
    linkId += 1;
    const link = { ...added, linkId, content: { kind: 'mail', message } } as const;
    changes.push(addedLink({ ownerId, trackerId }, target, link));
    linkedTargets.add(name);
    newest.set(trackerId, linkId);
  }
  for (const [trackerId, one] of newest)
    changes.push(withNewMessage({ ownerId, trackerId }, { ...added, linkId: one }));
  return changes;
}

/** Kept until the message is found in the inbox, or `erase`. */
export function rememberedMovedIn(
  ownerId: string,
  { accountId, identity }: { readonly accountId: number; readonly identity: string },
  now: Date,
): RowChange {
  return put(movedIntoInbox, { ownerId, accountId, identity, at: now });
}

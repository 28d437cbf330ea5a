import {
  candidatesOf,
  compared,
  type HandledMessage,
  handledMessage,
  handledText,
  handleId,
  handleIn,
  handleSecrets,
  somewhereIn,
  staysOnMove,
} from '../accounts/message-handle.ts';
import { type KeptHandle, messageHandles, type ShownMessage } from '../accounts/message-handle-storage.ts';
import { boundedCache } from '../memory/bounded-cache.ts';
import { ownCopy } from '../memory/own-copy.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { openFrom, sealFor } from '../state/sealing.ts';
import { DAY_MS } from '../time/durations.ts';
import type { MessageIdParts, OpenedMessageId } from './opened-message-id.ts';
import { openSealedMessageId } from './sealed-message-id.ts';

/**
 * The ids of messages on the wire: `m1_` and fifteen digits, kept by the storage. An id names a message, it allows nothing: owner
 * and fences are judged when it is used.
 */
export interface MessageHandles {
  /** The ids of messages, in their order. They are kept before this resolves. @throws ServiceError temporarily_unavailable */
  idsOf(ownerId: string, messages: readonly HandledMessage[]): Promise<readonly string[]>;
  /** Loads several at once, so that `open` finds them. */
  load(ownerId: string, ids: readonly string[]): Promise<void>;
  /** Ids of the older form open as well. @throws ServiceError temporarily_unavailable */
  open(ownerId: string, id: string): Promise<OpenedMessageId>;
  /** Keeps where the message of an id is now, if it would be shown with that id. */
  moved(ownerId: string, id: string, message: HandledMessage): Promise<void>;
  /** Keeps in which folders messages are now. */
  movedTo(ownerId: string, moves: readonly { readonly id: string; readonly path: string }[]): Promise<void>;
}

/** Some 10,000 messages. Callers that poll mostly see the same ones. */
const CACHE_BYTES = 8 * 1024 * 1024;
/** Of what is kept of an id, and of a message besides its texts. */
const ID_BYTES = 150;
const MESSAGE_BYTES = 400;

export function createMessageHandles(
  keyring: Keyring,
  storage: Pick<Storage, 'handledMessages' | 'messageHandles' | 'replaceHandledMessages'>,
  clock: Clock,
): MessageHandles {
  /** The ids of messages, and the day on which the storage last heard of them. */
  const ids = boundedCache<{ readonly id: string; readonly day: number }>(CACHE_BYTES, () => ID_BYTES);
  /** What handles stand for. */
  const messages = boundedCache<HandledMessage>(
    CACHE_BYTES,
    ({ place, stableId }) => MESSAGE_BYTES + 2 * (place.path.length + (stableId?.length ?? 0)),
  );

  const seal = (ownerId: string, handle: number, message: HandledMessage): string => {
    const { accountId } = message;
    const row = { ownerId, accountId, handle };
    return sealFor(keyring, messageHandles, 'sealed', row, handledText(message));
  };

  /** Undefined: the key is not in the ring, or somebody changed the row. Its handle leads nowhere, and stays taken. */
  function opened(row: KeptHandle): HandledMessage | undefined {
    try {
      return handledMessage(row.accountId, openFrom(keyring, messageHandles, 'sealed', row));
    } catch {
      return undefined;
    }
  }

  function shown(ownerId: string, secrets: readonly string[], message: HandledMessage): ShownMessage {
    return {
      accountId: message.accountId,
      candidates: candidatesOf(secrets, message),
      seal: (handle) => seal(ownerId, handle, message),
      compare(row) {
        const kept = opened(row);
        return kept === undefined ? 'other' : compared(kept, message);
      },
    };
  }

  function remember(ownerId: string, handle: number, message: HandledMessage, now: Date): void {
    messages.set(handleName(ownerId, handle), ownMessage(message));
    ids.set(messageName(ownerId, message), { id: handleId(handle), day: dayOf(now) });
  }

  /** The ids of messages that this process has not shown today, in their order. */
  async function keptNow(
    ownerId: string,
    fresh: readonly HandledMessage[],
    now: Date,
  ): Promise<readonly string[]> {
    if (fresh.length === 0) return [];
    const secrets = handleSecrets(keyring, ownerId);
    const asked = fresh.map((message) => shown(ownerId, secrets, message));
    const handles = await storage.messageHandles(ownerId, asked, now);
    for (const [at, message] of fresh.entries()) {
      const handle = handles[at];
      if (handle !== undefined) remember(ownerId, handle, message, now);
    }
    return handles.map(handleId);
  }

  /** The messages behind the handles that are kept. */
  async function kept(
    ownerId: string,
    handles: ReadonlySet<number>,
  ): Promise<ReadonlyMap<number, HandledMessage>> {
    const found = new Map<number, HandledMessage>();
    const missing: number[] = [];
    for (const handle of handles) {
      const message = messages.get(handleName(ownerId, handle));
      if (message === undefined) missing.push(handle);
      else found.set(handle, message);
    }
    if (missing.length === 0) return found;
    for (const row of await storage.handledMessages(ownerId, missing)) {
      const message = opened(row);
      if (message === undefined) continue;
      found.set(row.handle, message);
      messages.set(handleName(ownerId, row.handle), message);
    }
    return found;
  }

  async function replace(ownerId: string, byHandle: ReadonlyMap<number, HandledMessage>): Promise<void> {
    const rows = Array.from(byHandle, ([handle, message]) => {
      const { accountId } = message;
      return { accountId, handle, sealed: seal(ownerId, handle, message) };
    });
    await storage.replaceHandledMessages(ownerId, rows);
  }

  return {
    async idsOf(ownerId, wanted) {
      const now = clock.now();
      const known = wanted.map((message) => {
        const kept = ids.get(messageName(ownerId, message));
        return kept?.day === dayOf(now) ? kept.id : undefined;
      });
      const fresh = wanted.filter((_, at) => known[at] === undefined);
      const added = (await keptNow(ownerId, fresh, now)).values();
      return known.map((id) => id ?? added.next().value ?? '');
    },
    async load(ownerId, wanted) {
      await kept(ownerId, handlesIn(wanted));
    },
    async open(ownerId, id) {
      const handle = handleIn(id);
      if (handle === undefined) return openSealedMessageId(keyring, ownerId, id);
      const message = (await kept(ownerId, new Set([handle]))).get(handle);
      return message === undefined ? { kind: 'unknown' } : { kind: 'opened', parts: partsOf(message) };
    },
    async moved(ownerId, id, message) {
      const handle = handleIn(id);
      if (handle === undefined || !staysOnMove(handleSecrets(keyring, ownerId), handle, message)) return;
      await replace(ownerId, new Map([[handle, message]]));
      remember(ownerId, handle, message, clock.now());
    },
    async movedTo(ownerId, moves) {
      const paths = new Map(moves.map(({ id, path }) => [handleIn(id), path]));
      const secrets = handleSecrets(keyring, ownerId);
      const moved = new Map<number, HandledMessage>();
      for (const [handle, message] of await kept(ownerId, handlesIn(moves.map(({ id }) => id)))) {
        const path = paths.get(handle);
        if (path === undefined || !staysOnMove(secrets, handle, message)) continue;
        moved.set(handle, { ...message, place: somewhereIn(path) });
      }
      if (moved.size === 0) return;
      await replace(ownerId, moved);
      for (const [handle, message] of moved) messages.set(handleName(ownerId, handle), message);
    },
  };
}

function handlesIn(ids: readonly string[]): ReadonlySet<number> {
  return new Set(ids.flatMap((id) => handleIn(id) ?? []));
}

function partsOf({ place, ...facts }: HandledMessage): MessageIdParts {
  return { ...facts, uidValidity: place.uidValidity, uid: place.uid, isIn: (path) => path === place.path };
}

function messageName(ownerId: string, { accountId, place, stableId, fingerprint }: HandledMessage): string {
  return JSON.stringify([
    ownerId,
    accountId,
    place.path,
    place.uidValidity,
    place.uid,
    stableId,
    fingerprint,
  ]);
}

function handleName(ownerId: string, handle: number): string {
  return `${ownerId} ${handle}`;
}

/** A row has more than this, and its texts may be cut out of larger ones. */
function ownMessage(message: HandledMessage): HandledMessage {
  const { accountId, place, stableId, fingerprint, internalDate, sizeBytes } = message;
  return {
    ...{ accountId, internalDate, sizeBytes },
    place: { ...place, path: ownCopy(place.path) },
    stableId: stableId === null ? null : ownCopy(stableId),
    fingerprint: ownCopy(fingerprint),
  };
}

function dayOf(time: Date): number {
  return Math.floor(time.getTime() / DAY_MS);
}

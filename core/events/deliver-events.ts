import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';
import { createBackoff } from '../time/backoff.ts';
import { MINUTE_MS } from '../time/durations.ts';
import type { EventListener } from './event-listener.ts';
import type { PositionedEvent, StoredEvent } from './event-storage.ts';
import { type EventStream, eventCursor, positionOf } from './event-stream.ts';
import type { SubscribedType } from './webhook-event.ts';

/** Calls the listeners of stored events. */
export interface EventDelivery {
  /** As `Service.on` does for stored events. */
  on<Type extends SubscribedType>(
    type: Type,
    listener: EventListener<Type>,
    after: string | undefined,
  ): Promise<() => void>;
  /** Whether this process listens to events of the type. */
  hasListener(type: SubscribedType): boolean;
  /** Starts every listener that has events and is not busy. Does not wait for the listeners. */
  round(): Promise<void>;
  /** Calls no more listeners. @returns resolves when every running call has ended */
  stop(): Promise<void>;
}

interface Registered {
  readonly key: string;
  readonly type: SubscribedType;
  call(event: PositionedEvent): Promise<void>;
  /** The listener has handled every event up to here. */
  position: number;
  /** The newest event that is known. */
  lastPosition: number;
}

const EVENTS_AT_ONCE = 100;
const RETRY_FIRST_MS = 1000;
const RETRY_MOST_MS = 5 * MINUTE_MS;

export function createEventDelivery({ storage, clock, log }: Ports): EventDelivery {
  const listeners = new Set<Registered>();
  const busy = new Map<Registered, Promise<void>>();
  const backoff = createBackoff(RETRY_FIRST_MS, RETRY_MOST_MS);
  let isStopped = false;
  let added = 0;

  /** Returns the stream, once every stored event has its position. */
  async function wholeStream(type: SubscribedType): Promise<EventStream> {
    for (;;) {
      const stream = await storage.eventStream(type);
      if (!stream.hasUnnumbered) return stream;
      await storage.numberEvents(type);
    }
  }

  const isActive = (listener: Registered) => !isStopped && listeners.has(listener);

  /** Calls the listener with one event after the other, until there are no more or a call fails. */
  async function deliver(listener: Registered): Promise<void> {
    const { type, key } = listener;
    try {
      while (listener.position < listener.lastPosition) {
        const { position: after, lastPosition } = listener;
        const events = await storage.eventsAfter({ type, after, limit: EVENTS_AT_ONCE });
        for (const event of events) {
          if (!isActive(listener)) return;
          await listener.call(event);
          backoff.succeeded(key);
          listener.position = event.position;
        }
        // The others have been erased.
        if (events.length === 0) listener.position = lastPosition;
      }
    } catch (error) {
      backoff.failed(key, clock.now());
      const failures = backoff.failures(key);
      log.error('a listener failed; it gets the event again', { type, failures, ...errorName(error) });
    } finally {
      busy.delete(listener);
    }
  }

  return {
    async on(type, listener, after) {
      const stream = await wholeStream(type);
      added += 1;
      const { streamId } = stream;
      const registered: Registered = {
        key: String(added),
        type,
        position: after === undefined ? stream.lastPosition : positionOf(after, stream),
        lastPosition: stream.lastPosition,
        async call({ ownerId, position, event }) {
          if (isOfType(event, type)) {
            await listener({ ...event, ownerId, cursor: eventCursor(streamId, position) });
          }
        },
      };
      listeners.add(registered);
      return () => {
        listeners.delete(registered);
        backoff.succeeded(registered.key);
      };
    },
    hasListener: (type) => [...listeners].some((one) => one.type === type),
    async round() {
      for (const type of new Set([...listeners].map((one) => one.type))) {
        const { lastPosition } = await wholeStream(type);
        for (const listener of listeners) {
          if (listener.type !== type || !isActive(listener)) continue;
          listener.lastPosition = lastPosition;
          const isDue = listener.position < lastPosition && backoff.isDue(listener.key, clock.now());
          if (isDue && !busy.has(listener)) busy.set(listener, deliver(listener));
        }
      }
    },
    async stop() {
      isStopped = true;
      await Promise.all(busy.values());
    },
  };
}

function isOfType<Type extends SubscribedType>(
  event: StoredEvent,
  type: Type,
): event is Extract<StoredEvent, { readonly type: Type }> {
  return event.type === type;
}

import type { EventStream } from '../events/event-stream.ts';
import type { SubscribedType } from '../events/webhook-event.ts';
import type { StoredEvent } from './stored-event.ts';

/** Events of all owners, for listeners. Makes the same promises as Storage. */
export interface EventStorage {
  /** @returns the stream, and whether stored events of the type wait for a position */
  eventStream(type: SubscribedType): Promise<EventStream & { readonly hasUnnumbered: boolean }>;

  /**
   * Gives stored events that have no position the next ones, at most 1000 per call. An owner's events get theirs in the
   * order of their sequence numbers. Survives a loss of power, because programs keep positions.
   */
  numberEvents(type: SubscribedType): Promise<void>;

  /**
   * Returns events with a position after `after`, oldest first. No event ever appears before a position that was
   * returned, whichever process stored or numbered it.
   */
  eventsAfter(query: {
    type: SubscribedType;
    after: number;
    limit: number;
  }): Promise<readonly PositionedEvent[]>;

  /**
   * Calls `listener` each time this process has stored an event. The listener must not throw.
   * @returns a function that removes the listener
   */
  onEvent(listener: () => void): () => void;
}

export interface PositionedEvent {
  readonly ownerId: string;
  /** Rises from event to event, with gaps. */
  readonly position: number;
  readonly event: StoredEvent;
}

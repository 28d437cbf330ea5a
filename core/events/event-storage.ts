import { type RowChange, run } from '../state/change.ts';
import type { OnCommit } from '../state/committed-changes.ts';
import { all, first } from '../state/query.ts';
import type { StateStore } from '../state/store.ts';
import { type EventRow, eventCommands, eventStatements } from './event-state.ts';
import type { EventStream } from './event-stream.ts';
import { type EventContent, eventContent, type SubscribedType } from './webhook-event.ts';

/** An event for programs. */
export type StoredEvent = EventContent & {
  /** Counted per owner, from 1. */
  readonly sequence: number;
  /** `evt_` and 22 characters. */
  readonly id: string;
  /** The key whose endpoints receive it. Null: the endpoints of every key of the owner. */
  readonly credentialId: string | null;
  readonly createdAt: Date;
};

export interface PositionedEvent {
  readonly ownerId: string;
  /** Rises from event to event, with gaps. */
  readonly position: number;
  readonly event: StoredEvent;
}

/** Events of all owners, for listeners, and of one owner. */
export type EventStorage = ReturnType<typeof eventStorage>;

export function eventStorage({ look, execute }: StateStore, onCommit: OnCommit) {
  return {
    /** Events after `afterId` (an event's sequence number; 0: from the first), oldest first. */
    async events(query: {
      ownerId: string;
      afterId: number;
      limit: number;
    }): Promise<readonly StoredEvent[]> {
      const { ownerId, afterId: sequence, limit } = query;
      const { found } = await look({
        found: all(eventStatements.events_after, { ownerId, sequence, limit }),
      });
      return found.map(storedEvent);
    },

    /**
     * Calls `listener` each time this process has stored an event. The listener must not throw.
     * @returns a function that removes the listener
     */
    onEvent: (listener: () => void): (() => void) =>
      onCommit((changes) => {
        if (changes.some(isAppended)) listener();
      }),

    /** @returns the stream, and whether stored events of the type wait for a position */
    async eventStream(type: SubscribedType): Promise<EventStream & { readonly hasUnnumbered: boolean }> {
      const { stream } = await look({ stream: first(eventStatements.event_stream, { type }) });
      if (stream === undefined) throw new Error('This type of event has no stream.');
      return stream;
    },

    /**
     * Gives stored events that have no position the next ones, at most 1000 per call. An owner's events get theirs in the
     * order of their sequence numbers. Survives a loss of power, because programs keep positions.
     */
    async numberEvents(type: SubscribedType): Promise<void> {
      await execute([run(eventCommands.number_events, { type })]);
    },

    /**
     * Returns events with a position after `after`, oldest first. No event ever appears before a position that was
     * returned, whichever process stored or numbered it.
     */
    async eventsAfter(query: {
      type: SubscribedType;
      after: number;
      limit: number;
    }): Promise<readonly PositionedEvent[]> {
      const { type, after: position, limit } = query;
      const { found } = await look({
        found: all(eventStatements.events_of_stream, { type, position, limit }),
      });
      return found.map((row) => ({ ownerId: row.ownerId, position: row.position, event: storedEvent(row) }));
    },
  };
}

export function storedEvent({
  sequence,
  eventId,
  type,
  credentialId,
  createdAt,
  data,
}: EventRow): StoredEvent {
  return {
    ...eventContent({ type, data }),
    sequence,
    id: eventId,
    credentialId: credentialId === '' ? null : credentialId,
    createdAt,
  };
}

/** The event gets the owner's next sequence number. */
export function appendedEvent(
  ownerId: string,
  { id, type, credentialId, createdAt, data }: EventContent & Omit<StoredEvent, 'sequence'>,
): RowChange {
  return run(eventCommands.append_event, {
    ...{ ownerId, eventId: id, type, createdAt, data },
    credentialId: credentialId ?? '',
  });
}

function isAppended(change: RowChange): boolean {
  return change.op === 'run' && change.statement === eventCommands.append_event.name;
}

/** The events of one type, of all owners, in one order. */
export interface EventStream {
  /** 16 hexadecimal digits. No other stream has the same id, in this store or in another one. */
  readonly streamId: string;
  /** The position of the newest event. 0: there was none yet. */
  readonly lastPosition: number;
  /** Events up to this position were erased. 0: none. */
  readonly erasedPosition: number;
}

/** A cursor of `service.on` that cannot be used. `code` says why. */
export class EventCursorError extends Error {
  override name = 'EventCursorError';

  constructor(
    readonly code: /** No listener gave it out. */
      | 'malformed'
      /** It belongs to another type of event, or to another database. */
      | 'foreign'
      /** Events after it were erased. Read the current state, then listen without a cursor. */
      | 'too_old',
  ) {
    super(MESSAGES[code]);
  }
}

const MESSAGES = {
  malformed: 'The event cursor is malformed. Pass a cursor that a listener got with an event.',
  foreign: 'The event cursor belongs to another type of event or to another database.',
  too_old: 'Events after this cursor were erased. Read the current state, then listen without a cursor.',
} as const;

const CURSOR = /^ec1_([\da-f]{16})_(\d{1,15})$/;

/** Returns the cursor of a position in a stream. */
export function eventCursor(streamId: string, position: number): string {
  return `ec1_${streamId}_${position}`;
}

/**
 * Returns the position that a cursor stands for.
 * @throws EventCursorError if it does not belong to the stream, or events after it were erased
 */
export function positionOf(cursor: string, stream: EventStream): number {
  const [, streamId, position] = CURSOR.exec(cursor) ?? [];
  if (position === undefined) throw new EventCursorError('malformed');
  const after = Number(position);
  // A position after the last one is from a database that was replaced by an older copy.
  if (streamId !== stream.streamId || after > stream.lastPosition) throw new EventCursorError('foreign');
  if (after < stream.erasedPosition) throw new EventCursorError('too_old');
  return after;
}

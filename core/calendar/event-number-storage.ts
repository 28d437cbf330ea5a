import { createHash } from 'node:crypto';
import { owners } from '../owners/owner-state.ts';
import { insert } from '../state/change.ts';
import { integer, text } from '../state/column.ts';
import { all, first, select, single, statements } from '../state/query.ts';
import type { StateStore, Verdict } from '../state/store.ts';
import { type RowOf, table } from '../state/table.ts';
import type { EventKey } from './event.ts';

/** The numbers of calendar events. Each counts from 1 for its owner, and stays when its event is gone. */

export const eventNumbers = table(
  'event_numbers',
  {
    ownerId: text(),
    eventId: integer(),
    accountId: integer(),
    calendar: text(),
    uid: text(),
    /** '': it is no instance of a series. */
    recurrenceId: text(),
    /** '': the other parts identify the event. */
    documentName: text(),
    /** Of these four, however long they are: SHA-256, hex. */
    keyHash: text(),
  },
  {
    key: ['ownerId', 'eventId'],
    removedWith: owners,
    indexes: { event_numbers_by_hash: { on: ['ownerId', 'accountId', 'keyHash'], isUnique: true } },
  },
);
type NumberRow = RowOf<typeof eventNumbers>;
type KeyColumns = Pick<NumberRow, 'calendar' | 'uid' | 'recurrenceId' | 'documentName'>;

const numbersOfEvents = select(eventNumbers, {
  by: ['ownerId', 'accountId'],
  among: 'keyHash',
  only: ['eventId', 'keyHash'],
  index: 'event_numbers_by_hash',
});
const eventOfNumber = select(eventNumbers, {
  by: ['ownerId', 'eventId'],
  only: ['accountId', 'calendar', 'uid', 'recurrenceId', 'documentName'],
});

export const eventNumberStatements = statements({
  /** 0: there is none. */
  last_event_number: { params: { ownerId: text() }, columns: { lastId: integer() } },
});

export interface NumberedEvent {
  readonly accountId: number;
  readonly key: EventKey;
}

export type EventNumberStorage = ReturnType<typeof eventNumberStorage>;

/** The most events that one unit numbers: a stranger's calendar may have tens of thousands. */
const EVENTS_AT_ONCE = 500;

export function eventNumberStorage({ unit, look }: StateStore) {
  return {
    /** The owner's number for each event, in their order. A new event gets the next number. */
    async eventNumbers(
      ownerId: string,
      accountId: number,
      events: readonly EventKey[],
    ): Promise<readonly number[]> {
      const numbers: number[] = [];
      for (let at = 0; at < events.length; at += EVENTS_AT_ONCE) {
        const some = events.slice(at, at + EVENTS_AT_ONCE);
        const facts = {
          known: all(numbersOfEvents, { ownerId, accountId, keyHashList: some.map(hashOfKey) }),
          last: single(eventNumberStatements.last_event_number, { ownerId }),
        };
        const found = await unit('relaxed', { ownerId }, facts, ({ known, last }) =>
          numbered(known, last.lastId, { ownerId, accountId, events: some }),
        );
        for (const number of found) numbers.push(number);
      }
      return numbers;
    },

    /** The event with that number, even if it no longer exists. Undefined: the owner has no such number. */
    async event(ownerId: string, eventId: number): Promise<NumberedEvent | undefined> {
      const { row } = await look({ row: first(eventOfNumber, { ownerId, eventId }) });
      return row && { accountId: row.accountId, key: keyIn(row) };
    },
  };
}

function numbered(
  known: readonly Pick<NumberRow, 'eventId' | 'keyHash'>[],
  lastId: number,
  { ownerId, accountId, events }: { ownerId: string; accountId: number; events: readonly EventKey[] },
): Verdict<readonly number[]> {
  const numbers = new Map(known.map(({ keyHash, eventId }) => [keyHash, eventId]));
  const added: NumberRow[] = [];
  const answer = events.map((event) => {
    const keyHash = hashOfKey(event);
    const eventId = numbers.get(keyHash) ?? lastId + added.length + 1;
    if (!numbers.has(keyHash)) added.push({ ownerId, eventId, accountId, ...columnsOf(event), keyHash });
    numbers.set(keyHash, eventId);
    return eventId;
  });
  return { answer, changes: added.map((row) => insert(eventNumbers, row)) };
}

function columnsOf({ calendar, uid, recurrenceId, documentName = '' }: EventKey): KeyColumns {
  return { calendar, uid, recurrenceId: recurrenceId ?? '', documentName };
}

function keyIn({ calendar, uid, recurrenceId, documentName }: KeyColumns): EventKey {
  return {
    calendar,
    uid,
    recurrenceId: recurrenceId === '' ? null : recurrenceId,
    ...(documentName === '' ? {} : { documentName }),
  };
}

function hashOfKey(event: EventKey): string {
  const { calendar, uid, recurrenceId, documentName } = columnsOf(event);
  return createHash('sha256')
    .update(JSON.stringify([calendar, uid, recurrenceId, documentName]))
    .digest('hex');
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Arrival,
  advance,
  isRestored,
  RECENT_KEPT,
  RECENT_MOST,
  reopening,
} from '../../../core/watching/inbox-position.ts';
import type { InboxPosition } from '../../../core/watching/inbox-state.ts';

/** A mailbox as its server sees it. Every message is delivered once and has a name. */
interface Model {
  uidValidity: number;
  uidNext: number;
  nowS: number;
  messages: { readonly name: number; uid: number; receivedS: number }[];
}

type Step =
  | { readonly type: 'deliver'; readonly count: number }
  | { readonly type: 'wait'; readonly seconds: number }
  /** Removes the n-th message. */
  | { readonly type: 'expunge'; readonly n: number }
  /** All UIDs change, and with `isReversed` the order. */
  | { readonly type: 'rebuild'; readonly isReversed: boolean }
  /** The newest `lost` messages are gone, and their UIDs are given once more. */
  | { readonly type: 'restore'; readonly lost: number }
  /** Reads at most `batches` batches of at most `limit`. `isKept`: otherwise it crashes before the last write. */
  | { readonly type: 'visit'; readonly batches: number; readonly limit: number; readonly isKept: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('deliver' as const), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ type: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ type: fc.constant('expunge' as const), n: fc.nat(50) }),
  fc.record({ type: fc.constant('rebuild' as const), isReversed: fc.boolean() }),
  fc.record({ type: fc.constant('restore' as const), lost: fc.integer({ min: 1, max: 8 }) }),
  fc.record({
    type: fc.constant('visit' as const),
    batches: fc.integer({ min: 1, max: 4 }),
    limit: fc.integer({ min: 1, max: 4 }),
    isKept: fc.boolean(),
  }),
);

function rowOf({ uidValidity }: Model, { name, uid, receivedS }: Model['messages'][number]): Arrival {
  return {
    place: { path: 'INBOX', uidValidity: String(uidValidity), uid },
    internalDate: new Date(receivedS * 1000),
    messageId: `<${name}@example.org>`,
    subject: `Message ${name}`,
    date: '2026-11-20T10:00:00+00:00',
    sizeBytes: 100 + name,
  };
}

function nameOf({ sizeBytes }: Arrival): number {
  return sizeBytes - 100;
}

/** Reads one batch as the watcher does. @param isFirst  of its visit */
function batch(model: Model, position: InboxPosition, limit: number, isFirst = true) {
  const inbox = { uidValidity: String(model.uidValidity), uidNext: model.uidNext };
  const last = model.messages.find(({ uid }) => uid === position.uid);
  const isReopened =
    position.uidValidity !== inbox.uidValidity ||
    (isFirst && isRestored(position, inbox, last && rowOf(model, last)));
  let from = position;
  if (isReopened) {
    const opening = reopening(position, inbox);
    for (const message of model.messages) {
      if (message.receivedS >= position.sinceS) opening.see(rowOf(model, message));
    }
    from = opening.position();
  }
  const rows = model.messages
    .filter(({ uid }) => uid > from.uid)
    .slice(0, limit)
    .map((message) => rowOf(model, message));
  const isEnd = rows.length < limit;
  return { ...advance(from, rows, isEnd ? inbox.uidNext : undefined), isEnd, isReopened };
}

const START_S = 1_000_000;

/** @returns for each message that was delivered after the start: how often it was reported, and whether it could be */
function play(steps: readonly Step[]) {
  const old = [1, 2, 3].map((name) => ({ name, uid: name, receivedS: START_S - 10 * (4 - name) }));
  const model: Model = { uidValidity: 1, uidNext: 4, nowS: START_S, messages: old };
  let position: InboxPosition = { uidValidity: null, uid: 0, sinceS: START_S, recent: [], sift: null };
  let delivered = 3;
  /** They need not be reported: they were gone before, or nothing shows that the mailbox was restored. */
  const gone = new Set<number>();
  let isRestoredUnseen = false;
  const told = new Map<number, number>();
  const order: number[] = [];
  const visit = (batches: number, limit: number, isKept: boolean) => {
    for (let n = 1; n <= batches; n++) {
      const { fresh, to, isEnd, isReopened } = batch(model, position, limit, n === 1);
      // Events and position are one write: a crash before it leaves neither.
      if (!isKept && (n === batches || isEnd)) return;
      if (isRestoredUnseen && n === 1) {
        if (isReopened) isRestoredUnseen = false;
        else
          for (const { uid, name } of model.messages)
            if (uid <= position.uid && !told.has(name)) gone.add(name);
      }
      for (const row of fresh) {
        told.set(nameOf(row), (told.get(nameOf(row)) ?? 0) + 1);
        order.push(nameOf(row));
      }
      position = to;
      if (isEnd) return;
    }
  };
  for (const one of steps) {
    switch (one.type) {
      case 'deliver':
        for (let n = 0; n < one.count; n++) {
          delivered += 1;
          model.messages.push({ name: delivered, uid: model.uidNext, receivedS: model.nowS });
          model.uidNext += 1;
        }
        break;
      case 'wait':
        model.nowS += one.seconds;
        break;
      case 'expunge': {
        const [removed] = model.messages.splice(one.n, 1);
        if (removed !== undefined && !told.has(removed.name)) gone.add(removed.name);
        break;
      }
      case 'rebuild':
        model.uidValidity += 1;
        if (one.isReversed) model.messages.reverse();
        model.messages.forEach((message, index) => {
          message.uid = index + 1;
        });
        model.uidNext = model.messages.length + 1;
        break;
      case 'restore': {
        const lost = model.messages.splice(-one.lost);
        for (const { name } of lost) if (!told.has(name)) gone.add(name);
        model.uidNext = lost[0]?.uid ?? model.uidNext;
        isRestoredUnseen = true;
        break;
      }
      case 'visit':
        visit(one.batches, one.limit, one.isKept);
    }
  }
  visit(1000, 3, true);
  const names = Array.from({ length: delivered - 3 }, (_, n) => n + 4).filter((name) => !gone.has(name));
  return { names, told, order };
}

describe('the position in an inbox', () => {
  it('leads to each delivered message once, in order, whatever happens to the inbox', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { names, told, order } = play(steps);
        expect(names.map((name) => [name, told.get(name) ?? 0])).toEqual(names.map((name) => [name, 1]));
        // Mail from before the first look is never new.
        expect([...told.keys()].every((name) => name > 3)).toBe(true);
        if (steps.some((one) => one.type === 'rebuild' && one.isReversed)) return;
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      }),
      {
        numRuns: 2000,
        examples: [
          [
            [
              { type: 'deliver', count: 1 },
              { type: 'visit', batches: 1, limit: 1, isKept: true },
              { type: 'restore', lost: 1 },
              { type: 'visit', batches: 1, limit: 1, isKept: false },
              { type: 'deliver', count: 1 },
            ],
          ],
        ],
      },
    );
  });

  it('reports nothing twice if the server also forgot when it received its mail', () => {
    const position = visited([1, 2, 3], [100, 200, 300]);
    const model: Model = {
      uidValidity: 2,
      uidNext: 6,
      nowS: 900,
      // 9 was old before the first look; 4 came meanwhile.
      messages: [9, 1, 2, 3, 4].map((name, index) => ({ name, uid: index + 1, receivedS: 900 })),
    };
    const { fresh, to, isEnd } = batch(model, position, 100);
    expect(fresh.map(nameOf)).toEqual([4]);
    expect(isEnd).toBe(true);
    expect(to).toMatchObject({ uidValidity: '2', uid: 5, sift: null });
  });

  it('misses nothing in a mailbox that was restored from a backup, although the new mail has old UIDs', () => {
    const position = visited([1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const kept = [1, 2, 3].map((name) => ({ name, uid: name, receivedS: name }));
    const later = Array.from({ length: 10 }, (_, n) => ({ name: 20 + n, uid: 4 + n, receivedS: 100 + n }));
    const seen = (deliveries: readonly number[]) => {
      let at = position;
      return deliveries.flatMap((delivered) => {
        const messages = [...kept, ...later.slice(0, delivered)];
        const { fresh, to } = batch({ uidValidity: 1, uidNext: 4 + delivered, nowS: 900, messages }, at, 100);
        at = to;
        return fresh.map(nameOf);
      });
    };
    const all = later.map(({ name }) => name);
    // Whether the watcher looks before any of it arrives, while UIDNEXT is still low, or after all has arrived.
    for (const deliveries of [[0, 1, 5, 10], [2, 6, 7, 10], [6, 10], [10]])
      expect(seen(deliveries)).toEqual(all);
  });

  it('reports nothing again that a server shows again after an old state', () => {
    const position = visited([1, 2, 3, 4], [1, 2, 3, 4]);
    const messages = [1, 2, 3, 4, 5].map((name) => ({ name, uid: name, receivedS: name }));
    const old = batch(
      { uidValidity: 1, uidNext: 3, nowS: 900, messages: messages.slice(0, 2) },
      position,
      100,
    );
    expect(old.fresh).toEqual([]);
    const { fresh, to } = batch({ uidValidity: 1, uidNext: 6, nowS: 900, messages }, old.to, 100);
    expect(fresh.map(nameOf)).toEqual([5]);
    expect(to.sift).toBeNull();
  });

  it('remembers whole seconds, so that nothing is reported twice', () => {
    const names = Array.from({ length: RECENT_KEPT + 50 }, (_, n) => n + 1);
    const receivedS = (n: number) => (n <= 10 ? 50 : n <= 60 ? 100 : 200 + n);
    const position = visited(names, names.map(receivedS));
    expect(position.recent).toHaveLength(names.length - 10);
    expect(position.sinceS).toBe(51);
    const messages = [
      ...names.map((name) => ({ name, uid: name, receivedS: receivedS(name) })),
      { name: 5000, uid: 5000, receivedS: 100 },
      { name: 5001, uid: 5001, receivedS: 600 },
    ];
    const model: Model = { uidValidity: 2, uidNext: 5002, nowS: 900, messages };
    expect(batch(model, position, 1000).fresh.map(nameOf)).toEqual([5000, 5001]);
  });

  it('remembers a bounded number of messages, and loses none in the second of those it forgot', () => {
    const names = Array.from({ length: RECENT_MOST + 50 }, (_, n) => n + 1);
    const position = visited(
      names,
      names.map(() => 100),
    );
    expect(position.recent).toHaveLength(RECENT_MOST);
    expect(position.sinceS).toBe(100);
    const messages = [
      { name: 60, uid: 1, receivedS: 100 },
      { name: 5000, uid: 2, receivedS: 100 },
      { name: 300, uid: 3, receivedS: 100 },
      { name: 5001, uid: 4, receivedS: 600 },
    ];
    const model: Model = { uidValidity: 2, uidNext: 5, nowS: 900, messages };
    expect(batch(model, position, 100).fresh.map(nameOf)).toEqual([5000, 5001]);
  });

  it('continues to sift after a restart in the middle', () => {
    const position = visited([1, 2, 3], [100, 200, 300]);
    const messages = [4, 1, 5, 2, 6, 3].map((name, index) => ({
      name,
      uid: index + 1,
      receivedS: name <= 3 ? name * 100 : 400,
    }));
    const model: Model = { uidValidity: 2, uidNext: 7, nowS: 900, messages };
    const first = batch(model, position, 2);
    expect(first.fresh.map(nameOf)).toEqual([4]);
    expect(first.to.sift).not.toBeNull();
    model.messages.push({ name: 7, uid: 7, receivedS: 50 });
    model.uidNext = 8;
    // An old time of receipt counts only for what was there when the inbox was opened.
    expect(batch(model, first.to, 100).fresh.map(nameOf)).toEqual([5, 6, 7]);
  });
});

/** The position after these messages in an inbox with UIDVALIDITY 1 that was empty at first. */
function visited(names: readonly number[], receivedS: readonly number[]): InboxPosition {
  const messages = names.map((name, index) => ({ name, uid: index + 1, receivedS: receivedS[index] ?? 0 }));
  const model: Model = { uidValidity: 1, uidNext: names.length + 1, nowS: 900, messages };
  const start: InboxPosition = { uidValidity: null, uid: 0, sinceS: 0, recent: [], sift: null };
  return batch(model, start, names.length + 1).to;
}

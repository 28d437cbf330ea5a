import { describe, expect, it } from 'vitest';
import type { Storage } from '../../../core/ports/storage.ts';
import type { LinkContent, LinkedMessage, Tracker } from '../../../core/trackers/tracker-storage.ts';
import type { Store } from '../storage.ts';
import { addOwner, at, NOON } from './scene.ts';

export function addTracker(
  storage: Storage,
  ownerId: string,
  changes: Partial<Tracker> = {},
): Promise<Tracker> {
  const { title = 'Atlas', keywords = 'atlas', dueOn = null, createdAt = NOON } = changes;
  const requestId = `request ${title}`;
  return storage.createTracker({
    ownerId,
    requestId,
    title,
    keywords,
    dueOn,
    addedByAgent: true,
    now: createdAt,
  });
}

export function linkedMessage(id: string, changes: Partial<LinkedMessage> = {}): LinkedMessage {
  return {
    accountId: 1,
    place: { path: 'INBOX', uidValidity: '18446744073709551615', uid: 4_294_967_295 },
    stableId: null,
    fingerprint: `fingerprint of ${id}`,
    from: 'Maya <maya@example.org>',
    subject: `Subject ${id}\u202e 😀`,
    date: '2026-03-10T12:00:00+01:00',
    internalDate: at(-1000),
    sizeBytes: 5_000_000_000,
    excerpt: `Text ${id}`,
    ...changes,
  };
}

const mail = (id: string): LinkContent => ({ kind: 'mail', message: linkedMessage(id) });
const note = (text: string): LinkContent => ({ kind: 'note', note: text });

export function link(
  storage: Storage,
  ownerId: string,
  target: string,
  content: LinkContent,
  { trackerId = 1, now = NOON }: { trackerId?: number; now?: Date } = {},
) {
  return storage.linkToTracker({ ownerId, trackerId, target, addedBy: 'agent', content, now });
}

export function read(storage: Storage, ownerId: string, trackerId = 1, upTo?: number, limit = 100) {
  return storage.tracker({ ownerId, trackerId, upTo, limit });
}

export function trackerPromises(store: Store): void {
  describe('trackers', () => {
    it('count per owner, and are created once per request', async () => {
      const { storage } = store();
      for (const ownerId of [await addOwner(storage), await addOwner(storage)]) {
        const first = await addTracker(storage, ownerId, { dueOn: '2026-04-01' });
        expect(first).toEqual({
          ownerId,
          trackerId: 1,
          title: 'Atlas',
          keywords: 'atlas',
          dueOn: '2026-04-01',
          status: 'open',
          addedByAgent: true,
          createdAt: NOON,
          resolvedAt: null,
          lastAutoLinkAt: null,
          summary: { text: '', nextAction: '', importance: 'normal', sourceCount: 0 },
        });
        expect(await addTracker(storage, ownerId, { keywords: 'other', createdAt: at(1) })).toEqual(first);
        expect(await addTracker(storage, ownerId, { title: 'Second' })).toMatchObject({ trackerId: 2 });
      }
    });

    it('are listed by state, newest first, in pages', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      for (const title of ['1', '2', '3', '4', '5']) await addTracker(storage, ownerId, { title });
      await storage.setTrackerStatus({ ownerId, trackerId: 2, status: 'waiting', now: at(1) });
      await storage.setTrackerStatus({ ownerId, trackerId: 4, status: 'resolved', now: at(1) });
      const list = async (state: 'active' | 'resolved', before: number | undefined, limit: number) => {
        const { trackers, ...page } = await storage.trackers({ ownerId, state, before, limit });
        return { ...page, ids: trackers.map(({ trackerId }) => trackerId) };
      };
      expect(await list('active', undefined, 3)).toEqual({ ids: [5, 3, 2], total: 4, more: true });
      expect(await list('active', 2, 3)).toEqual({ ids: [1], total: 4, more: false });
      expect(await list('active', 1, 3)).toEqual({ ids: [], total: 4, more: false });
      expect(await list('resolved', undefined, 1)).toEqual({ ids: [4], total: 1, more: false });
    });

    it('move from any status to any other, and record when they were resolved', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      await addTracker(storage, ownerId);
      const statuses = ['open', 'waiting', 'resolved'] as const;
      let minute = 0;
      for (const from of statuses) {
        for (const status of statuses) {
          const set = { ownerId, trackerId: 1 };
          const before = await storage.setTrackerStatus({ ...set, status: from, now: at(++minute) });
          const after = await storage.setTrackerStatus({ ...set, status, now: at(++minute) });
          const kept = from === 'resolved' ? before?.resolvedAt : at(minute);
          expect(after).toMatchObject({ status, resolvedAt: status === 'resolved' ? kept : null });
          expect((await read(storage, ownerId))?.tracker).toEqual(after);
        }
      }
    });

    it('that do not exist return undefined, and nothing is created', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const other = await addOwner(storage);
      await addTracker(storage, other);
      expect(await read(storage, ownerId)).toBeUndefined();
      expect(
        await storage.setTrackerStatus({ ownerId, trackerId: 1, status: 'resolved', now: NOON }),
      ).toBeUndefined();
      expect(await link(storage, ownerId, 'note:1', note('x'))).toBeUndefined();
      expect((await read(storage, other))?.tracker.status).toBe('open');
      expect((await read(storage, other))?.total).toBe(0);
    });
  });

  describe('the links of trackers', () => {
    it('store their fields exactly', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      await addTracker(storage, ownerId);
      const contents: LinkContent[] = [
        mail('1'),
        { kind: 'mail', message: linkedMessage('2', { stableId: 'E2', from: '', subject: '', excerpt: '' }) },
        { kind: 'event', eventId: 2_147_483_647, title: 'Lunch, "quoted"\n', start: at(3_600_000) },
        note("Lines\n\twith 'quotes', 😀 and \u202e"),
      ];
      for (const [index, content] of contents.entries()) {
        const linkId = index + 1;
        const made = await link(storage, ownerId, `target ${linkId}`, content, { now: at(index) });
        expect(made).toEqual({ linkId, addedBy: 'agent', createdAt: at(index), content });
      }
      const found = await read(storage, ownerId);
      expect(found?.links.map(({ content }) => content)).toEqual(contents.toReversed());
    });

    it('exist once per target of a tracker, and count per owner', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      await addTracker(storage, ownerId);
      await addTracker(storage, ownerId, { title: 'Second' });
      const first = await link(storage, ownerId, 'message:1', mail('1'));
      expect(await link(storage, ownerId, 'message:1', mail('other'), { now: at(9) })).toEqual(first);
      expect(await link(storage, ownerId, 'message:1', mail('1'), { trackerId: 2 })).toMatchObject({
        linkId: 2,
      });
      expect(await link(storage, ownerId, 'message:2', mail('2'))).toMatchObject({ linkId: 3 });
      expect((await read(storage, ownerId))?.links.map(({ linkId }) => linkId)).toEqual([3, 1]);
      expect((await read(storage, ownerId, 2))?.links.map(({ linkId }) => linkId)).toEqual([2]);
    });

    it('of keywords end with their tracker, and those of an agent do not', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      await addTracker(storage, ownerId);
      const tracker = { ownerId, trackerId: 1 };
      const auto = (id: string) =>
        storage.linkToTracker({
          ...tracker,
          target: `message:${id}`,
          addedBy: 'auto',
          content: mail(id),
          now: at(1),
        });
      const first = await auto('1');
      expect(first).toMatchObject({ linkId: 1, addedBy: 'auto' });
      expect(await auto('1')).toEqual(first);
      expect((await read(storage, ownerId))?.tracker.lastAutoLinkAt).toEqual(at(1));
      await storage.setTrackerStatus({ ...tracker, status: 'resolved', now: at(2) });
      expect(await auto('2')).toBeUndefined();
      expect(await link(storage, ownerId, 'message:3', mail('3'))).toMatchObject({ linkId: 2 });
      expect((await read(storage, ownerId))?.total).toBe(2);
    });

    it('come in pages, newest first', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      await addTracker(storage, ownerId);
      for (const id of ['1', '2', '3', '4']) await link(storage, ownerId, `note:${id}`, note(id));
      const page = async (upTo: number | undefined, limit: number) => {
        const found = await read(storage, ownerId, 1, upTo, limit);
        return [found?.links.map(({ linkId }) => linkId), found?.total, found?.more];
      };
      expect(await page(undefined, 2)).toEqual([[4, 3], 4, true]);
      expect(await page(2, 2)).toEqual([[2, 1], 4, false]);
      expect(await page(undefined, 0)).toEqual([[], 4, true]);
      expect(await page(0, 2)).toEqual([[], 4, false]);
    });

    it('are created once if two processes create the same link at once', async () => {
      const { storage, second } = store();
      const ownerId = await addOwner(storage);
      await addTracker(storage, ownerId);
      const other = await second();
      const made = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          link(n % 2 === 0 ? storage : other, ownerId, 'note:1', note('x')),
        ),
      );
      expect(new Set(made.map((one) => one?.linkId))).toEqual(new Set([1]));
      expect((await read(storage, ownerId))?.total).toBe(1);
    });
  });

  describe('trackers that the owner changes', () => {
    const fieldsOf = ({ title, keywords, dueOn }: Tracker) => ({ title, keywords, dueOn });

    it('get new fields, unless somebody else changed them meanwhile', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const tracker = await addTracker(storage, ownerId);
      const { trackerId } = tracker;
      const edit = (to: object, was = fieldsOf(tracker)) =>
        storage.editTracker({ ownerId, trackerId, was, fields: { ...fieldsOf(tracker), ...to } });
      expect(await edit({ title: 'New', keywords: 'b', dueOn: '2026-12-01' })).toEqual({ won: true });
      // A repeat, and another tab that still shows the old fields.
      expect(await edit({ title: 'New', keywords: 'b', dueOn: '2026-12-01' })).toEqual({ won: true });
      expect(await edit({ title: 'Other' })).toEqual({ won: false });
      const found = await storage.tracker({ ownerId, trackerId, upTo: undefined, limit: 0 });
      expect(found?.tracker).toEqual({ ...tracker, title: 'New', keywords: 'b', dueOn: '2026-12-01' });
      expect(await storage.editTracker({ ownerId, trackerId: 99, was: tracker, fields: tracker })).toBe(
        undefined,
      );
      const other = await addOwner(storage);
      const theirs = { ownerId: other, trackerId, was: fieldsOf(tracker), fields: fieldsOf(tracker) };
      expect(await storage.editTracker(theirs)).toBe(undefined);
    });

    it('lose a link once, and with a message also the summary that quotes it', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const { trackerId } = await addTracker(storage, ownerId);
      const linkTo = (target: string, content: LinkContent, addedBy: 'auto' | 'owner' = 'owner') =>
        storage.linkToTracker({ ownerId, trackerId, target, addedBy, content, now: at(Number(target)) });
      const first = await linkTo('1', { kind: 'mail', message: linkedMessage('1') }, 'auto');
      const note = await linkTo('2', { kind: 'note', note: 'mine' });
      const last = await linkTo('3', { kind: 'mail', message: linkedMessage('3') }, 'auto');
      if (!first || !note || !last) throw new Error('nothing was linked');
      const summary = { text: 'Text 3', nextAction: 'n', importance: 'important', sourceCount: 2 } as const;
      await storage.saveSummary({ ownerId, trackerId, summary, upTo: last.linkId });
      const unlink = (link: { linkId: number; createdAt: Date }) =>
        storage.unlinkFromTracker({ ownerId, trackerId, linkId: link.linkId, createdAt: link.createdAt });
      const shown = () => storage.tracker({ ownerId, trackerId, upTo: undefined, limit: 9 });
      const due = async () =>
        (await storage.summariesDue({ messages: 9, limit: 99 }))
          .filter(({ tracker }) => tracker.ownerId === ownerId)
          .map(({ messages, upTo }) => [messages.map(({ subject }) => subject), upTo]);

      expect(await unlink({ ...note, createdAt: at(77) })).toBe(false);
      expect((await shown())?.links[1]).toEqual(note);
      expect(await Promise.all([unlink(note), unlink(note)])).toEqual(expect.arrayContaining([true, false]));
      expect(await shown()).toMatchObject({ total: 2, tracker: { summary } });
      expect(await due()).toEqual([]);

      expect(await unlink(last)).toBe(true);
      expect(await shown()).toMatchObject({ total: 1, tracker: { summary: { text: '', sourceCount: 0 } } });
      expect(await due()).toEqual([[[linkedMessage('1').subject], first.linkId]]);
      // A summary that was under way when the message was removed.
      await storage.saveSummary({ ownerId, trackerId, summary, upTo: last.linkId });
      expect((await shown())?.tracker.summary.text).toBe('');

      expect(await unlink(first)).toBe(true);
      expect(await due()).toEqual([]);
      // The number of a removed link may come back. The summary is due all the same.
      const again = await linkTo('4', { kind: 'mail', message: linkedMessage('4') }, 'auto');
      expect(await due()).toEqual([[[linkedMessage('4').subject], again?.linkId]]);
      expect(await unlink({ linkId: again?.linkId ?? 0, createdAt: first.createdAt })).toBe(false);
    });
  });

  describe('the numbers of events', () => {
    it('stay the same, count per owner, and lead back to the event', async () => {
      const { storage } = store();
      const keys = [
        { calendar: 'Work', uid: 'u1', recurrenceId: null },
        { calendar: 'Work', uid: 'u1', recurrenceId: '20261121T090000Z' },
        { calendar: 'Home', uid: 'u1', recurrenceId: null },
      ];
      const [ownerId, other] = [await addOwner(storage), await addOwner(storage)];
      expect(await storage.eventNumbers(ownerId, 1, keys)).toEqual([1, 2, 3]);
      expect(await storage.eventNumbers(ownerId, 1, keys.toReversed())).toEqual([3, 2, 1]);
      expect(await storage.eventNumbers(ownerId, 2, keys)).toEqual([4, 5, 6]);
      expect(await storage.event(ownerId, 2)).toEqual({ accountId: 1, key: keys[1] });
      expect(await storage.event(ownerId, 6)).toEqual({ accountId: 2, key: keys[2] });
      expect(await storage.event(ownerId, 7)).toBeUndefined();
      expect(await storage.event(other, 1)).toBeUndefined();
    });
  });
}

import { describe, expect, it, vi } from 'vitest';
import { type CalendarScene, found, listed, object, readExisting, unfolded } from './scene.ts';

const ONE = object('one', 'DTSTART:20260310T090000Z', 'DTEND:20260310T100000Z', 'X-ATLAS-TICKET:4711');
const LATER = object('one', 'DTSTART:20260310T150000Z', 'DTEND:20260310T160000Z', 'X-ATLAS-TICKET:4711');

async function started(): Promise<boolean> {
  return true;
}

export function changePromises(scene: () => CalendarScene): void {
  const place = (name = 'one.ics') => ({ calendar: scene().target, name });
  const startOf = async () => (await found(scene(), 'one'))?.event.start.toISOString();
  const write = (document: string, ifMatch: string | null, start = started, name = 'one.ics') =>
    scene().calendar.write(scene().call, { ...place(name), document, ifMatch }, start);

  describe('write', () => {
    it('stores a new object after calling start once', async () => {
      const start = vi.fn(started);
      await write(ONE, null, start);
      expect(start).toHaveBeenCalledTimes(1);
      expect(unfolded(await scene().box.object('one.ics'))).toEqual(
        expect.arrayContaining(['UID:one', 'SUMMARY:Title of one', 'X-ATLAS-TICKET:4711']),
      );
      expect(await startOf()).toBe('2026-03-10T09:00:00.000Z');
      expect((await readExisting(scene(), 'one')).place).toEqual(place());
    });

    it('stores an object under the given name', async () => {
      const name = 'one+two@example.org.ics';
      await write(ONE, null, started, name);
      const stored = await readExisting(scene(), 'one');
      // A server may encode it differently.
      expect(place(decodeURIComponent(stored.place.name))).toEqual(place(name));
      expect(stored.place.calendar).toBe(place(name).calendar);
      expect(await scene().box.object(name)).toBeDefined();
    });

    it('replaces the object whose ETag matches', async () => {
      await scene().box.put('one.ics', ONE);
      const { etag } = await readExisting(scene(), 'one');
      await write(LATER, etag);
      const now = await readExisting(scene(), 'one');
      expect(now.event.start).toEqual(new Date('2026-03-10T15:00:00Z'));
      expect(now.etag).not.toBe(etag);
      expect(unfolded(now.document)).toContain('X-ATLAS-TICKET:4711');
    });

    it('throws conflict if a new object would replace another', async () => {
      await scene().box.put('one.ics', ONE);
      await expect(write(LATER, null)).rejects.toMatchObject({ code: 'conflict' });
      expect(await startOf()).toBe('2026-03-10T09:00:00.000Z');
    });

    it('throws conflict if someone else has changed the object', async () => {
      const { box } = scene();
      await box.put('one.ics', object('one', 'DTSTART:20260310T080000Z', 'DURATION:PT1H'));
      const { etag } = await readExisting(scene(), 'one');
      await box.put('one.ics', ONE);
      await expect(write(LATER, etag)).rejects.toMatchObject({ code: 'conflict' });
      expect(await startOf()).toBe('2026-03-10T09:00:00.000Z');
    });

    it('throws not_found if the object to replace is gone', async () => {
      await scene().box.put('one.ics', ONE);
      const { etag } = await readExisting(scene(), 'one');
      await scene().calendar.remove(scene().call, { ...place(), ifMatch: etag }, started);
      await expect(write(LATER, etag)).rejects.toMatchObject({ code: 'not_found' });
      expect(await scene().box.object('one.ics')).toBeUndefined();
    });

    it('does nothing if start returns false', async () => {
      await expect(write(ONE, null, async () => false)).rejects.toMatchObject({ code: 'not_started' });
      expect(await scene().box.object('one.ics')).toBeUndefined();
    });
  });

  describe('remove', () => {
    const remove = (ifMatch: string, start = started) =>
      scene().calendar.remove(scene().call, { ...place(), ifMatch }, start);

    it('deletes the object whose ETag matches, after calling start once', async () => {
      const { box } = scene();
      await box.put('one.ics', ONE);
      await box.put('two.ics', object('two', 'DTSTART:20260310T090000Z', 'DURATION:PT1H'));
      const start = vi.fn(started);
      await remove((await readExisting(scene(), 'one')).etag, start);
      expect(start).toHaveBeenCalledTimes(1);
      expect(await box.object('one.ics')).toBeUndefined();
      const left = await listed(scene(), '2026-03-10T00:00:00Z', '2026-03-11T00:00:00Z');
      expect(left.map(({ uid }) => uid)).toEqual(['two']);
    });

    it('throws conflict if someone else has changed the object', async () => {
      const { box } = scene();
      await box.put('one.ics', LATER);
      const { etag } = await readExisting(scene(), 'one');
      await box.put('one.ics', ONE);
      await expect(remove(etag)).rejects.toMatchObject({ code: 'conflict' });
      expect(await startOf()).toBe('2026-03-10T09:00:00.000Z');
    });

    it('throws not_found if the object is gone', async () => {
      await scene().box.put('one.ics', ONE);
      const { etag } = await readExisting(scene(), 'one');
      await remove(etag);
      await expect(remove(etag)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('does nothing if start returns false', async () => {
      await scene().box.put('one.ics', ONE);
      const { etag } = await readExisting(scene(), 'one');
      await expect(remove(etag, async () => false)).rejects.toMatchObject({ code: 'not_started' });
      expect(await scene().box.object('one.ics')).toBeDefined();
    });
  });
}

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { messageRow } from '../../../core/mail/message-row.ts';
import type { InboxVisit, OpenInbox } from '../../../core/ports/mail-watching.ts';
import type { MailDifferences } from '../mail.ts';
import { aMessage, listIn, type Mailbox, newest, started } from './scene.ts';

const EVERYTHING = 1000;
/** Some servers announce what other programs changed only once in a while. */
const ANNOUNCED_MS = 120_000;

/** visitInbox, watchInbox. */
export function watchingPromises(mailbox: Mailbox, { cannotAnnounce = false }: MailDifferences): void {
  const deliver = async (...subjects: string[]) => {
    const { box, inbox } = mailbox();
    for (const subject of subjects) await box.deliver(inbox, aMessage(subject));
  };

  describe('visitInbox', () => {
    const visit = <T>(look: (inbox: OpenInbox) => Promise<T>) => visited(mailbox(), look);

    it('returns what arrived after a UID, the lowest first, at most as many as requested', async () => {
      expect(await visit(async (inbox) => [await subjectsOf(inbox), await subjectsOf(inbox, 99)])).toEqual([
        [],
        [],
      ]);
      await deliver('one', 'two', 'three', 'four', 'five');
      const pages = await visit(async (inbox) => {
        const all = await inbox.arrivals(0, EVERYTHING);
        const [one, , three, , five] = all.map(({ place }) => place.uid);
        return {
          all: all.map((row) => messageRow(row).subject),
          first: await subjectsOf(inbox, 0, 2),
          second: await subjectsOf(inbox, one, 2),
          rest: await subjectsOf(inbox, three, 3),
          none: await subjectsOf(inbox, five, 3),
          beyond: await subjectsOf(inbox, (five ?? 0) + 1000, 3),
        };
      });
      expect(pages).toEqual({
        all: ['one', 'two', 'three', 'four', 'five'],
        first: ['one', 'two'],
        second: ['two', 'three'],
        rest: ['four', 'five'],
        none: [],
        beyond: [],
      });
    });

    it('returns full pages although messages between them were removed', async () => {
      const { mail, call, inbox } = mailbox();
      await deliver('one', 'two', 'three', 'four', 'five');
      const [, , , two, one] = (await listIn(mailbox(), { path: inbox })).rows;
      for (const row of [one, two]) {
        if (row !== undefined) await mail.move(call, row.place, mailbox().sent, started);
      }
      expect(await visit((open) => subjectsOf(open, 0, 2))).toEqual(['three', 'four']);
    });

    it('reports a next UID between those of the old messages and those of the new ones', async () => {
      const { mail, call, inbox } = mailbox();
      await deliver('old');
      const old = await newest(mail, call, inbox);
      const uidNext = await visit(async (open) => open.uidNext);
      await deliver('new');
      expect(uidNext).toBeGreaterThan(old.place.uid);
      expect(uidNext).toBeLessThanOrEqual((await newest(mail, call, inbox)).place.uid);
    });

    it('returns the same rows as the list, which the visit may request meanwhile', async () => {
      const { inbox } = mailbox();
      await deliver('one', 'two');
      const { lists, rows, uidValidity } = await visit(async (open) => ({
        lists: await Promise.all(Array.from({ length: 4 }, () => listIn(mailbox(), { path: inbox }))),
        rows: (await open.arrivals(0, EVERYTHING)).map(messageRow),
        uidValidity: open.uidValidity,
      }));
      for (const list of lists) expect(list.rows).toEqual(rows.toReversed());
      expect(rows.map(({ place }) => place.uidValidity)).toEqual([uidValidity, uidValidity]);
    });

    it('throws what the visit throws', async () => {
      const { mail, call } = mailbox();
      const error = new Error('of the visit');
      await expect(mail.visitInbox(call, () => Promise.reject(error))).rejects.toBe(error);
    });
  });

  describe('watchInbox', () => {
    /** Starts to watch. @returns what each visit saw, how the watch ends, and how to abort it */
    function watch(visit: InboxVisit = async () => undefined) {
      const { mail, call } = mailbox();
      const abort = new AbortController();
      const seen: string[][] = [];
      const ended = mail.watchInbox({ ...call, signal: abort.signal }, async (inbox) => {
        seen.push(await subjectsOf(inbox));
        await visit(inbox);
      });
      ended.catch(() => undefined);
      onTestFinished(async () => {
        abort.abort();
        await ended.catch(() => undefined);
      });
      const sees = (...subjects: string[]) =>
        vi.waitFor(() => expect(seen.at(-1)).toEqual(subjects), { timeout: ANNOUNCED_MS, interval: 5 });
      return { seen, ended, sees, abort: () => abort.abort() };
    }

    if (cannotAnnounce) {
      it('reports that the server cannot announce', async () => {
        expect(await watch().ended).toBe('cannot_announce');
      });
      return;
    }

    it('visits at once, and again when a message arrives, until the signal aborts', {
      timeout: 2 * ANNOUNCED_MS,
    }, async () => {
      await deliver('old');
      const below: number[] = [];
      const { ended, sees, abort } = watch(async ({ uidNext, arrivals }) => {
        const late = await arrivals(uidNext - 1, EVERYTHING);
        below.push(...late.map(({ place }) => place.uid).filter((uid) => uid < uidNext));
      });
      await sees('old');
      await deliver('new');
      await sees('old', 'new');
      abort();
      expect(await ended).toBe('aborted');
      expect(below).toEqual([]);
    });

    it('visits when a message is moved into the inbox', { timeout: 2 * ANNOUNCED_MS }, async () => {
      const { box, mail, call, inbox, sent } = mailbox();
      await box.deliver(sent, aMessage('moved'));
      const { place } = await newest(mail, call, sent);
      const { sees } = watch();
      await sees();
      await mail.move(call, place, inbox, started);
      await sees('moved');
    });

    it('visits once more after a visit during which messages arrived, and never twice at a time', {
      timeout: 3 * ANNOUNCED_MS,
    }, async () => {
      let visiting = 0;
      let most = 0;
      let open = () => {};
      const closed = new Promise<void>((resolve) => {
        open = resolve;
      });
      const { seen, sees } = watch(async () => {
        visiting += 1;
        most = Math.max(most, visiting);
        await closed;
        visiting -= 1;
      });
      await sees();
      await deliver('one', 'two', 'three');
      expect(seen).toHaveLength(1);
      open();
      await sees('one', 'two', 'three');
      expect(most).toBe(1);
    });

    it('ends when the signal aborts, after the visit in progress', async () => {
      let isOver = false;
      const { ended, sees, abort } = watch(async () => {
        abort();
        await new Promise(setImmediate);
        isOver = true;
      });
      await sees();
      expect(await ended).toBe('aborted');
      expect(isOver).toBe(true);
    });

    it('does not visit if the signal was already aborted', async () => {
      const { mail, call } = mailbox();
      const visit = vi.fn(async () => undefined);
      expect(await mail.watchInbox({ ...call, signal: AbortSignal.abort() }, visit)).toBe('aborted');
      expect(visit).not.toHaveBeenCalled();
    });

    it('ends with the error of a visit', async () => {
      const error = new Error('of the visit');
      await expect(watch(() => Promise.reject(error)).ended).rejects.toBe(error);
    });

    it('does not disturb other calls for the account', { timeout: 2 * ANNOUNCED_MS }, async () => {
      const { inbox, sent } = mailbox();
      const { sees } = watch();
      await sees();
      await deliver('one');
      const totals = await Promise.all([inbox, sent, inbox, sent].map((path) => listIn(mailbox(), { path })));
      expect(totals.map(({ total }) => total)).toEqual([1, 0, 1, 0]);
      await sees('one');
    });
  });
}

async function subjectsOf(inbox: OpenInbox, uid = 0, limit = EVERYTHING): Promise<string[]> {
  return (await inbox.arrivals(uid, limit)).map((row) => messageRow(row).subject);
}

async function visited<T>(
  { mail, call }: ReturnType<Mailbox>,
  look: (inbox: OpenInbox) => Promise<T>,
): Promise<T> {
  const found: T[] = [];
  await mail.visitInbox(call, async (inbox) => {
    found.push(await look(inbox));
  });
  expect(found).toHaveLength(1);
  return found[0] as T;
}

import { describe, expect, it, vi } from 'vitest';
import type { MessageRow } from '../../../core/mail/message-row.ts';
import type { MailDifferences } from '../mail.ts';
import {
  aMessage,
  flagsOf as flagsIn,
  listIn,
  type Mailbox,
  newest as newestIn,
  outgoing as outgoingIn,
  started,
} from './scene.ts';

/** forget, and calls that have ended. */
export function endingPromises(mailbox: Mailbox, { cannotAnnounce = false }: MailDifferences): void {
  const newest = (path: string) => newestIn(mailbox().mail, mailbox().call, path);
  const list = (query: Parameters<typeof listIn>[1]) => listIn(mailbox(), query);
  const flagsOf = (row: MessageRow) => flagsIn(mailbox(), row);
  const outgoing = (to?: readonly string[]) => outgoingIn(mailbox(), to);

  describe('forget', () => {
    it('releases everything kept for an account; the next call starts afresh', async () => {
      const { box, mail, inbox } = mailbox();
      await box.deliver(inbox, aMessage('one'));
      await mail.forget(box.account.ownerId, box.account.accountId);
      expect((await list({ path: inbox })).total).toBe(1);
    });

    if (!cannotAnnounce) {
      it('ends a watch as unavailable', async () => {
        const { box, mail, call } = mailbox();
        let opened = () => {};
        const isOpen = new Promise<void>((resolve) => {
          opened = resolve;
        });
        const ended = mail.watchInbox(call, async () => opened()).catch((error: unknown) => error);
        await isOpen;
        await mail.forget(box.account.ownerId, box.account.accountId);
        expect(await ended).toMatchObject({ name: 'MailError', code: 'unavailable' });
      });
    }
  });

  describe('an ended call', () => {
    it('does nothing if its signal was already aborted', async () => {
      const { box, mail, call, inbox } = mailbox();
      await box.deliver(inbox, aMessage('one'));
      const row = await newest(inbox);
      const start = vi.fn(started);
      const ended = { ...call, signal: AbortSignal.abort() };
      await expect(mail.setFlag(ended, row.place, 'seen', true, start)).rejects.toMatchObject({
        code: 'unavailable',
      });
      await expect(mail.transmit(ended, outgoing(), start)).rejects.toMatchObject({ code: 'unavailable' });
      expect(start).not.toHaveBeenCalled();
      expect(await flagsOf(row)).toEqual([]);
      expect(await box.arrived()).toEqual([]);
    });
  });
}

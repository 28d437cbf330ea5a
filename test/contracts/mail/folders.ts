import { describe, expect, it } from 'vitest';
import { MailError } from '../../../core/ports/mail.ts';
import type { Mailbox } from './scene.ts';

/** verify, folders, createFolder. */
export function folderPromises(mailbox: Mailbox): void {
  describe('verify', () => {
    it('returns nothing if both servers can be used', async () => {
      const { mail, call } = mailbox();
      await expect(mail.verify(call)).resolves.toBeUndefined();
    });
  });

  describe('folders', () => {
    it('names each folder once, including the inbox', async () => {
      const { mail, call, sent } = mailbox();
      const folders = await mail.folders(call, { fresh: true });
      const paths = folders.map(({ path }) => path);
      expect(new Set(paths).size).toBe(paths.length);
      expect(paths.filter((path) => path === 'INBOX')).toHaveLength(1);
      expect(paths).toContain(sent);
      for (const { path, delimiter } of folders) {
        if (path !== 'INBOX' && path.includes(delimiter ?? '/'))
          expect(delimiter).toBe(path.match(/[./]/)?.[0]);
      }
    });
  });

  describe('createFolder', () => {
    it('creates a missing folder, and returns an existing one', async () => {
      const { mail, call, inbox } = mailbox();
      const path = await mail.createFolder(call, 'Überfällige Rechnungen');
      expect(path).toMatch(/(^|[./])Überfällige Rechnungen$/);
      const created = (await mail.folders(call)).find((folder) => folder.path === path);
      expect(created?.specialUse).toBeNull();
      expect(await mail.createFolder(call, 'Überfällige Rechnungen')).toBe(path);
      expect(await mail.createFolder(call, path)).toBe(path);
      expect(await mail.createFolder(call, inbox)).toBe(inbox);
      const paths = (await mail.folders(call, { fresh: true })).map((folder) => folder.path);
      expect(paths.filter((one) => one.includes('Rechnungen'))).toEqual([path]);
    });

    it('keeps the names of every script', async () => {
      const { mail, call } = mailbox();
      const names = [
        'Счета',
        'Λογαριασμοί',
        'فواتير',
        'חשבוניות',
        'बिल',
        'ใบแจ้งหนี้',
        '請求書',
        '청구서',
        '📁 Bills',
        '👩🏽‍💻',
      ];
      const kept: string[] = [];
      for (const name of names) kept.push(await mail.createFolder(call, name));
      for (const [at, path] of kept.entries()) expect(path.endsWith(names[at] ?? '')).toBe(true);
      const paths = (await mail.folders(call, { fresh: true })).map((folder) => folder.path);
      expect(kept.filter((path) => !paths.includes(path))).toEqual([]);
      for (const path of kept) expect(await mail.createFolder(call, path)).toBe(path);
    });

    it('keeps a name with signs that mean something in IMAP, unless the server refuses it', async () => {
      const { mail, call } = mailbox();
      const listed = async () => (await mail.folders(call, { fresh: true })).map((folder) => folder.path);
      const names = [
        'R&D',
        '-&-',
        '&AOk-',
        'a+b',
        "Ada's",
        'a"b',
        'a\\b',
        '{3}',
        '50% off',
        'x*y',
        '~me',
        '#shared',
      ];
      const before = await listed();
      const kept: string[] = [];
      for (const name of names) {
        const path = await mail.createFolder(call, name).catch((error: unknown) => {
          if (!(error instanceof MailError)) throw error;
          return undefined;
        });
        if (path === undefined) continue;
        expect(path.endsWith(name)).toBe(true);
        kept.push(path);
      }
      expect((await listed()).filter((one) => !before.includes(one)).toSorted()).toEqual(kept.toSorted());
    });
  });
}

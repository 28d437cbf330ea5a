import { describe, expect, it } from 'vitest';
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
  });
}

import { chmodSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { MailboxService } from '../../mailbox-service.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type StoredFile, storedFiles } from './maildir.ts';
import { readingService } from './reading-service.ts';
import { asksFor, proxyBefore } from './through-proxy.ts';

const SHARED = 'Shared';
/** Its UID is in INBOX only, and its number, too: the other folders hold fewer messages. */
const UNDELIVERABLE = { folder: 'INBOX', subject: 'in 7', uid: 8 };

const FOLDERS: Readonly<Record<string, number>> = {
  INBOX: 9,
  Archive: 4,
  Work: 3,
  'Work/Old': 2,
  Sent: 2,
  Trash: 2,
  Junk: 1,
  [SHARED]: 2,
};
const SEEN = ['in 0', 'in 2', 'in 7', 'work 1', 'archive 0', 'junk 0'];
const FLAGGED = ['in 2', 'in 4', 'work 0', 'archive 1'];
const DELETED = ['in 1', 'in 2', 'in 8', 'work 2', 'archive 0', 'archive 1', 'trash 0'];

const count = z.object({ total: z.int(), unread: z.int() });
const missing = z.array(z.looseObject({ folder: z.string(), reason: z.string() })).optional();
const accountsShape = z.object({
  accounts: z.tuple([z.object({ folders: z.array(count.extend({ display_name: z.string() })), missing })]),
});
const pageShape = z.object({
  messages: z.array(
    z.object({ folder: z.string(), subject: z.string(), undeliverable: z.boolean().optional() }),
  ),
  total: z.int(),
  next_cursor: z.string().optional(),
  missing,
  total_exact: z.boolean().optional(),
});
type Row = z.infer<typeof pageShape>['messages'][number];

describe.skipIf(missingServers().length > 0)(titled('what the files of a mailbox hold'), () => {
  describe.each([
    ['that numbers its changes', undefined],
    ['without UIDPLUS', 'IMAP4rev1 LITERAL+ NAMESPACE SPECIAL-USE'],
  ])('on a server %s', (_name, capability) => {
    let dovecot: Dovecot;
    let user: string;
    let files: readonly StoredFile[];

    beforeAll(async () => {
      dovecot = await startDovecot({ views: true, acl: true, ...(capability && { capability }) });
      user = dovecot.addUser();
      await dovecot.doveadm('mailbox create', user, ['Work', 'Work/Old', 'Empty', SHARED]);
      for (const [mailbox, size] of Object.entries(FOLDERS)) {
        for (let index = 0; index < size; index += 1) {
          const name = mailbox === 'INBOX' ? 'in' : mailbox.toLowerCase();
          const raw = `From: Ada <ada@x.example>\r\nSubject: ${name} ${index}\r\n\r\nneedle\r\n`;
          await dovecot.deliver(user, raw, { mailbox, receivedAt: new Date(Date.UTC(2026, 0, 1 + index)) });
        }
      }
      const flag = async (name: string, subjects: readonly string[]) => {
        for (const subject of subjects)
          await dovecot.doveadm('flags add', user, [name, 'mailbox', '*', 'subject', subject]);
      };
      await flag('\\Seen', SEEN);
      await flag('\\Flagged', FLAGGED);
      await flag('\\Deleted', DELETED);
      files = storedFiles(dovecot, user);
      const acl = `${dovecot.folder}/mail/${user}/Maildir/.${SHARED}/dovecot-acl`;
      writeFileSync(acl, 'owner l\n');
      chmodSync(acl, 0o644);
    });
    afterAll(() => dovecot?.stop());

    async function openService(): Promise<MailboxService> {
      const { port } = await proxyBefore(dovecot, {
        refusal: (line) => (asksFor(line, UNDELIVERABLE.uid) ? 'NO cannot' : undefined),
      });
      return readingService(user, port);
    }

    /** What may be read. */
    const shown = (file: StoredFile) => !file.deleted && file.folder !== SHARED;
    const unread = (file: StoredFile) => !file.seen;
    const counted = (some: readonly StoredFile[]) => {
      const left = some.filter(shown);
      return { total: left.length, unread: left.filter(unread).length };
    };
    /** As rows say it: all that is known of what cannot be delivered is where it is. */
    const named = (some: readonly StoredFile[]) =>
      some
        .filter(shown)
        .map(({ folder, subject }) =>
          folder === UNDELIVERABLE.folder && subject === UNDELIVERABLE.subject
            ? `${folder}: undeliverable`
            : `${folder}: ${subject}`,
        )
        .toSorted();
    const namesOf = (rows: readonly Row[]) =>
      rows
        .map(({ folder, subject, undeliverable }) =>
          undeliverable ? `${folder}: undeliverable` : `${folder}: ${subject}`,
        )
        .toSorted();

    /** Reads all pages, each of which must say the same total and the same missing folders. */
    async function allPages(service: MailboxService, tool: string, args: object) {
      const rows: Row[] = [];
      const said = new Set<string>();
      let cursor: string | undefined;
      do {
        const outcome = await service.call(tool, { ...args, limit: 2, ...(cursor && { cursor }) });
        if (outcome.status !== 'ok') throw new Error(`${tool}: ${outcome.status}`);
        const page = pageShape.parse(outcome.result);
        rows.push(...page.messages);
        cursor = page.next_cursor;
        const left = page.missing?.map(({ folder, reason }) => `${folder}: ${reason}`) ?? [];
        said.add(JSON.stringify({ total: page.total, missing: left, exact: page.total_exact ?? true }));
      } while (cursor !== undefined);
      return { names: namesOf(rows), said: [...said].map((one): unknown => JSON.parse(one)) };
    }

    it('is what was put there', () => {
      const sizes: Record<string, number> = {};
      for (const { folder } of files) sizes[folder] = (sizes[folder] ?? 0) + 1;
      expect(sizes).toEqual(FOLDERS);
      expect(files.filter(({ deleted }) => deleted)).toHaveLength(DELETED.length);
      expect(files.filter(({ seen }) => seen)).toHaveLength(SEEN.length);
    });

    it('is what is counted in each folder, except for the refused one, which is named', async () => {
      const service = await openService();
      const outcome = await service.call('list_accounts');
      if (outcome.status !== 'ok') throw new Error(outcome.status);
      const [account] = accountsShape.parse(outcome.result).accounts;
      const inView = files.filter(({ folder }) => folder !== 'Trash' && folder !== 'Junk');
      const expected = {
        ...Object.fromEntries(
          [...Object.keys(FOLDERS), 'Drafts', 'Empty']
            .filter((path) => path !== SHARED)
            .map((path) => [path, counted(files.filter(({ folder }) => folder === path))]),
        ),
        'Views/All': counted(inView),
        'Views/Flagged': counted(inView.filter(({ flagged }) => flagged)),
        'Views/Important': { total: 0, unread: 0 },
      };
      const ours = account.folders.map(({ display_name: path, ...numbers }) => [path, count.parse(numbers)]);
      expect(Object.fromEntries(ours)).toEqual(expected);
      expect(account.missing).toMatchObject([{ folder: SHARED, reason: 'refused' }]);

      const listed = await service.call('list_folders');
      if (listed.status !== 'ok') throw new Error(listed.status);
      const { folders } = z.object({ folders: z.array(z.object({ name: z.string() })) }).parse(listed.result);
      expect(folders.map(({ name }) => name).toSorted()).toEqual(
        [...Object.keys(expected), SHARED].toSorted(),
      );
    });

    it('is what is listed of a folder, page by page', async () => {
      const service = await openService();
      for (const path of ['INBOX', 'Archive', 'Work', 'Trash']) {
        const inFolder = files.filter(({ folder }) => folder === path);
        for (const [tool, expected] of [
          ['summarize_inbox', inFolder],
          ['list_unread', inFolder.filter(unread)],
        ] as const) {
          expect(await allPages(service, tool, { folder: path })).toEqual({
            names: named(expected),
            said: [{ total: counted(expected).total, missing: [], exact: true }],
          });
        }
      }
    });

    it.each([{ q: 'needle' }, { from: 'ada@x.example' }, { since: '2025-12-01' }])(
      'is what a search of all folders finds by %j, and what it names as missing',
      async (search) => {
        const service = await openService();
        for (const only of [false, true]) {
          const expected = only ? files.filter(unread) : files;
          expect(
            await allPages(service, 'search_inbox', { ...search, ...(only && { unread: true }) }),
          ).toEqual({
            names: named(expected),
            said: [{ total: counted(expected).total, missing: [`${SHARED}: refused`], exact: false }],
          });
        }
        expect(files).toHaveLength(
          counted(files).total + DELETED.length + files.filter(({ folder }) => folder === SHARED).length,
        );
      },
    );
  });
});

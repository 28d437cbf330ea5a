import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type MailCall, MailError } from '../../core/ports/mail.ts';
import { detailsOf, openScene, resultOf, type SceneOptions } from './scene.ts';

const OTHER = 'other@countersign.test';
const NAMES = ['INBOX', 'Sent', 'Drafts', 'Spam', 'Trash', 'Archive', 'Projects/Atlas'];

async function open(options: SceneOptions = {}) {
  const scene = await openScene(options);
  const { ownerId } = scene;
  const { accountId } = await scene.service.accounts.connect({ ownerId, email: OTHER, settings: {} });
  return { scene, key: await scene.addKey('read'), other: accountId };
}

describe('list_folders', () => {
  it('lists the folders of every account, or of one, with their roles', async () => {
    const { key, other } = await open();
    const all = resultOf(await key.call('list_folders'));
    expect(all).toMatchObject({ total: 14, returned: 14, has_more: false });
    const one = resultOf(await key.call('list_folders', { account_id: other }));
    const roles = ['inbox', 'sent', 'drafts', 'spam', 'trash', 'archive', null];
    const rows = NAMES.map((name, n) => ({ name, role: roles[n], account_id: other }));
    expect(one.folders).toEqual(rows);
    expect(all.folders).toEqual([...rows.map((row) => ({ ...row, account_id: 1 })), ...rows]);
    expect(detailsOf(await key.call('list_folders', { account_id: 9 }))).toEqual({
      code: 'not_found',
      reason: 'account',
    });
  });

  it('fails if one account is unavailable, and names it', async () => {
    let away = 0;
    const { key, other } = await open({
      mailAs: (mail) => ({
        ...mail,
        folders: async (call: MailCall, options) => {
          if (call.account.accountId === away) throw new MailError('auth', 'The password is refused.');
          return mail.folders(call, options);
        },
      }),
    });
    away = other;
    expect(detailsOf(await key.call('list_folders'))).toEqual({
      code: 'upstream_mail_error',
      account_id: other,
      reason: 'auth',
    });
  });

  it('pages through more folders than fit into one response, each once', async () => {
    const names = Array.from({ length: 900 }, (_, n) => `${'Ordner/'.repeat(20)}${n}`);
    const { key } = await open({
      mailAs: (mail) => ({
        ...mail,
        folders: async () => names.map((path) => ({ path, delimiter: '/', specialUse: null })),
      }),
    });
    const shown = z.looseObject({
      folders: z.array(z.looseObject({ name: z.string() })),
      next_cursor: z.string().optional(),
    });
    const seen: string[] = [];
    let pages = 0;
    let cursor: string | undefined;
    do {
      const args = { account_id: 1, ...(cursor === undefined ? {} : { cursor }) };
      const page: z.infer<typeof shown> = shown.parse(resultOf(await key.call('list_folders', args)));
      seen.push(...page.folders.map(({ name }) => name));
      cursor = page.next_cursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(seen).toEqual(names);
    expect(pages).toBeGreaterThan(1);
  });
});

import { describe, expect, it } from 'vitest';
import { type MailCall, MailError } from '../../core/ports/mail.ts';
import { letter, OWN, openScene, resultOf } from './scene.ts';

describe('list_accounts', () => {
  it('has every field of the contract', async () => {
    const scene = await openScene({
      samples: () => [
        letter('new'),
        letter('seen', { flags: ['seen'] }),
        letter('p', { folder: 'Projects/Atlas' }),
      ],
    });
    const key = await scene.addKey('read');
    const none = { unread: 0, total: 0 };
    expect(await key.call('list_accounts')).toEqual({
      status: 'ok',
      result: {
        accounts: [
          {
            account_id: 1,
            label: OWN,
            email: OWN,
            is_active: true,
            is_primary: true,
            by_role: {
              inbox: { unread: 1, total: 2 },
              sent: { unread: 1, total: 1 },
              drafts: none,
              spam: none,
              trash: none,
              archive: none,
            },
            folders: [
              { display_name: 'INBOX', role: 'inbox', unread: 1, total: 2 },
              { display_name: 'Sent', role: 'sent', unread: 1, total: 1 },
              { display_name: 'Drafts', role: 'drafts', ...none },
              { display_name: 'Spam', role: 'spam', ...none },
              { display_name: 'Trash', role: 'trash', ...none },
              { display_name: 'Archive', role: 'archive', ...none },
              { display_name: 'Projects/Atlas', role: null, unread: 1, total: 1 },
            ],
          },
        ],
        total: 1,
        returned: 1,
        has_more: false,
      },
    });
  });

  it('reports the active and the first account, and follows changes by the owner', async () => {
    const scene = await openScene();
    const key = await scene.addKey('read');
    const { ownerId } = scene;
    await scene.service.accounts.connect({
      ownerId,
      email: 'two@countersign.test',
      label: 'Two',
      settings: {},
    });
    const rows = async () =>
      (resultOf(await key.call('list_accounts')).accounts as Record<string, unknown>[]).map((row) => [
        row.account_id,
        row.label,
        row.is_active,
        row.is_primary,
      ]);
    expect(await rows()).toEqual([
      [1, OWN, true, true],
      [2, 'Two', false, false],
    ]);
    await scene.service.accounts.activate(ownerId, 2);
    expect(await rows()).toEqual([
      [1, OWN, false, true],
      [2, 'Two', true, false],
    ]);
    await scene.service.accounts.remove(ownerId, 2);
    expect(await rows()).toEqual([[1, OWN, true, true]]);
  });

  it('still responds if one account is unavailable, and says so in its row', async () => {
    const scene = await openScene({
      mailAs: (mail) => ({
        ...mail,
        counts: async (call: MailCall) => {
          if (call.account.accountId === 2) throw new MailError('auth', 'The password is not accepted.');
          return mail.counts(call);
        },
      }),
    });
    const key = await scene.addKey('read');
    await scene.service.accounts.connect({
      ownerId: scene.ownerId,
      email: 'two@countersign.test',
      settings: {},
    });
    const result = resultOf(await key.call('list_accounts'));
    expect(result).toMatchObject({ total: 2, returned: 2 });
    expect((result.accounts as unknown[])[1]).toEqual({
      account_id: 2,
      label: 'two@countersign.test',
      email: 'two@countersign.test',
      is_active: false,
      is_primary: false,
      by_role: {},
      folders: [],
      error: 'upstream_mail_error',
    });
  });
});

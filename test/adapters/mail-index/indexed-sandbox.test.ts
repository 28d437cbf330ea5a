import { Buffer } from 'node:buffer';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { mailContract } from '../../contracts/mail.ts';
import { indexed, indexFolder, withoutSearch } from './indexed-mail.ts';

const account = {
  ...{ ownerId: 'owner-1', accountId: 1, email: 'demo@countersign.test' },
  settings: () => Promise.reject(new Error('The sandbox has no settings')),
};

mailContract(
  'sandbox with an index',
  async () => {
    const folder = await indexFolder();
    const sandbox = sandboxMail({ samples: () => [] });
    const mail = indexed(withoutSearch(sandbox), folder.open());
    return {
      mail,
      account,
      deliver: (path, raw, options) => sandbox.deliver(account, path, Buffer.from(raw), options?.receivedAt),
      messages: async (path) =>
        (await sandbox.messages(account, path)).map((raw) => Buffer.from(raw).toString()),
      keywords: (path) => sandbox.keywords(account, path),
      arrived: async () => sandbox.transmitted().map(({ raw }) => Buffer.from(raw).toString()),
      recipient: 'bob@example.test',
      refusedRecipient: 'refused@sandbox.invalid',
      async close() {
        await mail.close();
        folder.remove();
      },
    };
  },
  { sections: ['searching', 'following', 'ending'] },
);

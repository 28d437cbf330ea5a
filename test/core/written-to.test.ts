import { sandboxMail } from '../../adapters/sandbox/mail.ts';
import type { MailCall } from '../../core/ports/mail.ts';
import { writtenToPromises } from '../contracts/written-to.ts';

writtenToPromises('the sandbox', async () => {
  const mail = sandboxMail({ samples: () => [] });
  const email = 'demo@countersign.test';
  const account = { ownerId: 'o', accountId: 1, email, settings: async () => ({}) };
  const call = { account, signal: new AbortController().signal, deadlineMs: 1000 };
  return {
    // One mailbox, whichever account of the service it is connected as.
    mail: new Proxy(mail, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (first: unknown, ...rest: unknown[]): unknown =>
          Reflect.apply(value, target, [isCall(first) ? { ...first, account } : first, ...rest]);
      },
    }),
    email,
    settings: {},
    deliver: (path, raw) => mail.deliver(account, path, Buffer.from(raw)),
    createFolder: (name) => mail.createFolder(call, name),
    close: async () => {},
  };
});

function isCall(value: unknown): value is MailCall {
  return typeof value === 'object' && value !== null && 'deadlineMs' in value;
}

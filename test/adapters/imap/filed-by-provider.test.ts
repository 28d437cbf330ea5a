import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AccountConnections, accountConnections } from '../../../adapters/imap/account-connections.ts';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { type Filing, newFiling, type OpenSent, saveOnce } from '../../../adapters/imap/sent-folder.ts';
import { inFolder } from '../../../adapters/imap/session.ts';
import { messageRow } from '../../../core/mail/message-row.ts';
import type { Outgoing } from '../../../core/ports/mail-sending.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { callOn } from './mailbox-on.ts';
import { writtenBy } from './written-message.ts';

describe.skipIf(missingServers().length > 0)(titled('a provider that saves sent mail by itself'), () => {
  let dovecot: Dovecot;
  let user: string;
  let connections: AccountConnections;
  let filing: Filing;
  let end: AbortController;

  beforeAll(async () => {
    dovecot = await startDovecot();
  });
  beforeEach(() => {
    user = dovecot.addUser();
    const server = {
      host: '127.0.0.1',
      port: dovecot.port,
      security: 'none',
      user: addressOf(user),
    } as const;
    const reach = { allowPrivateServers: true, ehloName: undefined };
    connections = accountConnections(1, async () => ({ ...server, pass: PASSWORD }), reach);
    filing = newFiling();
    end = new AbortController();
  });
  afterEach(() => connections.close());
  afterAll(() => dovecot?.stop());

  /**
   * @param provider  saves it before this look into Sent, by number from 1. Undefined: it never does
   * @returns how often Sent was looked into
   */
  async function save(message: Outgoing, provider?: number): Promise<number> {
    let looks = 0;
    const inSent: OpenSent = async (work) => {
      looks += 1;
      if (looks === provider) await saveAsProvider(message);
      return inFolder(connections, { path: 'Sent' }, end.signal, work);
    };
    await saveOnce(message, filing, inSent, end.signal);
    return looks;
  }

  /** Saves it under another Message-ID. */
  async function saveAsProvider({ bytes }: Outgoing): Promise<void> {
    const raw = Buffer.from(bytes).toString();
    const replaced = raw.replace(/^Message-ID: .*$/m, 'Message-ID: <its-own@provider.example>');
    expect(replaced).not.toBe(raw);
    await dovecot.deliver(user, replaced, { mailbox: 'Sent' });
  }

  const copies = async () => (await dovecot.messages(user, 'Sent')).length;

  it('at once, or a moment later, or later still once it is known to: each is there once', async () => {
    await save(writtenBy(user), 2);
    expect(await copies()).toBe(1);
    await save(writtenBy(user), 3);
    expect(await copies()).toBe(2);
    expect(await save(writtenBy(user), 1)).toBe(1);
    expect(await copies()).toBe(3);
  });

  it('after the first was saved here: from then on it is waited for', async () => {
    const first = writtenBy(user);
    await save(first);
    await saveAsProvider(first);
    expect(await copies()).toBe(2);
    // The first look is for the first message.
    await save(writtenBy(user), 4);
    expect(await copies()).toBe(3);
  });

  it('no longer: then each is saved here, at once from the second on', async () => {
    await save(writtenBy(user), 1);
    expect(await save(writtenBy(user))).toBe(5);
    expect(await copies()).toBe(2);
    // One look is for the message before.
    expect(await save(writtenBy(user))).toBe(2);
    expect(await save(writtenBy(user))).toBe(1);
    expect(await copies()).toBe(4);
  });

  it('is waited for no longer than the call may take, and nothing is saved then', async () => {
    const saved = save(writtenBy(user));
    await delay(500);
    end.abort();
    await expect(saved).rejects.toMatchObject({ code: 'unavailable' });
    expect(await copies()).toBe(0);
  });

  it('under another Message-ID: its copy is found by the request, and no other is', async () => {
    const [message, other] = [writtenBy(user), writtenBy(user)];
    await saveAsProvider(message);
    const mail = imapMail({ allowPrivateServers: true });
    const call = callOn(dovecot.port, user);
    const found = await mail.messageWithId(call, 'Sent', message.messageId);
    expect(found && messageRow(found).messageId).toBe('<its-own@provider.example>');
    expect(await mail.messageWithId(call, 'Sent', other.messageId)).toBeUndefined();
    await mail.close();
  });
});

import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dovecot, startDovecot } from './dovecot.ts';
import { missingServers, titled } from './missing-servers.ts';

describe.skipIf(missingServers().length > 0)(titled('Dovecot as the tests use it'), () => {
  let dovecot: Dovecot;
  beforeAll(async () => {
    dovecot = await startDovecot();
  });
  afterAll(() => dovecot?.stop());

  it('keeps its mail and port through a crash and restart, and drops its connections', async () => {
    await dovecot.deliver('alice', 'Subject: kept\r\n\r\nhello\r\n');
    const connection = net.connect(dovecot.port, '127.0.0.1').resume();
    await once(connection, 'data');
    const { port } = dovecot;
    await dovecot.crash();
    if (!connection.closed) await once(connection, 'close');
    await dovecot.restart();
    expect(dovecot.port).toBe(port);
    expect(await dovecot.messages('alice')).toEqual(['Subject: kept\n\nhello\n']);
  });

  it('gives a new user an empty mailbox', async () => {
    expect(await dovecot.messages(dovecot.addUser())).toEqual([]);
  });
});

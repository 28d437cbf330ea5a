import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import type { Log, LogFields } from '../../../core/ports/log.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { ownRestServer } from '../../hosts/rest/rest-server.ts';
import { casesOf } from '../../only-long.ts';
import { callWith, openTestService } from '../../open-service.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { type EditedStore, editedStores } from '../edited-store.ts';

/** What somebody could write into the rows of the key ID, whose owner has another key, OTHER. */
const EDITS: Readonly<Record<string, string>> = {
  'credentials.modes': `UPDATE credentials SET modes = replace(modes, '"mail:send":"approval"', '"mail:send":"direct"') WHERE credential_id = 'ID'`,
  'credentials.name': "UPDATE credentials SET name = 'Trusted' WHERE credential_id = 'ID'",
  'credentials.revision': "UPDATE credentials SET revision = revision + 1 WHERE credential_id = 'ID'",
  'credentials.created_at_ms': "UPDATE credentials SET created_at_ms = 1 WHERE credential_id = 'ID'",
  'credentials.expires_at_ms':
    "UPDATE credentials SET expires_at_ms = expires_at_ms + 1 WHERE credential_id = 'ID'",
  'credentials.overlap_until_ms':
    "UPDATE credentials SET overlap_until_ms = expires_at_ms WHERE credential_id = 'ID'",
  'credentials.paused_at_ms': "UPDATE credentials SET paused_at_ms = 1 WHERE credential_id = 'ID'",
  'credentials.fences': `UPDATE credentials SET fences = '{"accounts":[1],"recipients":null,"untilMs":null}' WHERE credential_id = 'ID'`,
  'credentials.kind': "UPDATE credentials SET kind = 'oauth' WHERE credential_id = 'ID'",
  'credentials.credential_id': `
    UPDATE secrets SET credential_id = 'key_moved' WHERE credential_id = 'ID';
    UPDATE credentials SET credential_id = 'key_moved' WHERE credential_id = 'ID'`,
  'credentials.owner_id': `
    UPDATE secrets SET owner_id = 'victim' WHERE credential_id = 'ID';
    UPDATE credentials SET owner_id = 'victim' WHERE credential_id = 'ID'`,
  'credentials.signature': "UPDATE credentials SET signature = '' WHERE credential_id = 'ID'",
  'credentials.signature, of another row': `
    UPDATE credentials SET signature = (SELECT signature FROM credentials WHERE credential_id = 'OTHER')
    WHERE credential_id = 'ID'`,
  'secrets.secret_hash': `
    UPDATE secrets SET secret_hash = 'replaced' WHERE credential_id = 'OTHER';
    UPDATE secrets SET credential_id = 'OTHER' WHERE credential_id = 'ID'`,
  'secrets.expires_at_ms': "UPDATE secrets SET expires_at_ms = expires_at_ms + 1 WHERE credential_id = 'ID'",
  'secrets.credential_id': "UPDATE secrets SET credential_id = 'OTHER' WHERE credential_id = 'ID'",
  'secrets.owner_id': "UPDATE secrets SET owner_id = 'victim' WHERE credential_id = 'ID'",
  'secrets.signature': "UPDATE secrets SET signature = '' WHERE credential_id = 'ID'",
};

/** Edits that leave the key's id and a mode that can be judged. */
const EDITED_CREDENTIALS = [
  'credentials.modes',
  'credentials.name',
  'credentials.expires_at_ms',
  'credentials.signature',
];

const SEND = { to: ['friend@example.org'], subject: 'Hello', body: 'Text' };

async function open(store: () => Promise<EditedStore>, given: { mail?: Mail } = {}) {
  const { connect, sql } = await store();
  const storage = connect();
  const logged: { level: string; message: string; fields: LogFields | undefined }[] = [];
  const to = (level: string) => (message: string, fields?: LogFields) => {
    logged.push({ level, message, fields });
  };
  const log: Log = { info: to('info'), warn: to('warn'), error: to('error') };
  const secretKeys = [randomBytes(32)];
  const server = await ownRestServer({ given: { storage, log, secretKeys, ...given } });
  const { service, ownerId, port } = server;
  await service.owners.create({ ownerId: 'victim', email: 'victim@example.org' });
  const newKey = () => service.keys.create({ ownerId, name: 'agent', preset: 'full' });
  async function request(apiKey: string, body?: unknown): Promise<number> {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const path = body === undefined ? '/v1/me' : '/v1/messages';
    return (await fetch(`http://127.0.0.1:${port}${path}`, init)).status;
  }
  return { service, connect, storage, ownerId, secretKeys, logged, sql, newKey, request };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function edit({ sql }: Opened, name: string, keyId: string, otherId: string): Promise<void> {
  await sql((EDITS[name] ?? '').replaceAll('ID', keyId).replaceAll('OTHER', otherId));
}

/** A send that waits for the owner. */
async function waiting({ service, ownerId, request }: Opened, apiKey: string) {
  expect(await request(apiKey, SEND)).toBe(202);
  const [summary] = (await service.approvals.list(ownerId, { state: 'open', limit: 1 })).approvals;
  if (summary === undefined) throw new Error('nothing waits');
  return summary.approval;
}

for (const { name, open: openStore, missing } of editedStores()) {
  const columns = casesOf(
    'altered keys: columns',
    EDITED_CREDENTIALS,
    (column) => name === 'SQLite' || column === 'credentials.modes',
  );
  describe.skipIf(missing.length > 0)(
    titledWithout([...missing], `a key that was changed in ${name}`),
    () => {
      it('is refused at the door, whatever column was changed', async () => {
        const opened = await open(openStore);
        for (const column of Object.keys(EDITS)) {
          const [key, other] = [await opened.newKey(), await opened.newKey()];
          expect(await opened.request(key.apiKey)).toBe(200);
          await edit(opened, column, key.keyId, other.keyId);
          const status = await opened.request(key.apiKey);
          expect({ column, status }).toEqual({ column, status: 401 });
        }
      });

      it('is refused if its pause or its fences were removed', async () => {
        const opened = await open(openStore);
        const { service, ownerId } = opened;
        const [paused, fenced] = [await opened.newKey(), await opened.newKey()];
        await service.keys.pause(ownerId, paused.keyId);
        await service.keys.setFences(ownerId, fenced.keyId, { recipients: ['example.org'] });
        expect([await opened.request(paused.apiKey), await opened.request(fenced.apiKey)]).toEqual([
          200, 200,
        ]);
        await opened.sql(
          `UPDATE credentials SET paused_at_ms = NULL WHERE credential_id = '${paused.keyId}'`,
        );
        await opened.sql(`UPDATE credentials SET fences = NULL WHERE credential_id = '${fenced.keyId}'`);
        expect([await opened.request(paused.apiKey), await opened.request(fenced.apiKey)]).toEqual([
          401, 401,
        ]);
      });

      it('is named in the log and to the owner, who can only revoke it', async () => {
        const opened = await open(openStore);
        const { service, ownerId, logged } = opened;
        const key = await opened.newKey();
        await edit(opened, 'credentials.modes', key.keyId, '');
        await opened.request(key.apiKey);
        expect(logged).toEqual([
          {
            level: 'error',
            message: 'a key was changed outside Countersign, and is refused',
            fields: { key: key.keyId },
          },
        ]);
        const isAltered = async () =>
          (await service.keys.list(ownerId)).find(({ credentialId }) => credentialId === key.keyId)
            ?.isAltered;
        expect(await isAltered()).toBe(true);
        await expect(service.keys.rotate(ownerId, key.keyId)).rejects.toThrow();
        await expect(service.keys.setModes(ownerId, key.keyId, { 'mail:send': 'off' })).rejects.toThrow();
        await expect(service.keys.pause(ownerId, key.keyId)).rejects.toThrow();
        await expect(service.keys.resume(ownerId, key.keyId)).rejects.toThrow();
        await expect(service.keys.setFences(ownerId, key.keyId, {})).rejects.toThrow();
        expect(await isAltered()).toBe(true);
        await service.keys.revoke(ownerId, key.keyId);
        expect(await isAltered()).toBe(false);
      });

      it('is altered by a secret that was added', async () => {
        const opened = await open(openStore);
        const key = await opened.newKey();
        await opened.sql(`
        INSERT INTO secrets (secret_hash, owner_id, credential_id, expires_at_ms, signature)
        VALUES ('added', '${opened.ownerId}', '${key.keyId}', 9000000000000, '')`);
        expect(await opened.service.keys.list(opened.ownerId)).toContainEqual(
          expect.objectContaining({ credentialId: key.keyId, isAltered: true }),
        );
        await expect(opened.service.keys.rotate(opened.ownerId, key.keyId)).rejects.toThrow();
      });

      it.each(columns)('has its waiting request not approved: %s', async (column) => {
        const opened = await open(openStore);
        const key = await opened.newKey();
        const approval = await waiting(opened, key.apiKey);
        await edit(opened, column, key.keyId, '');
        const { service, ownerId } = opened;
        expect(await service.approvals.approve(ownerId, approval.id, approval.digest)).toMatchObject({
          won: false,
          approval: { state: 'pending' },
        });
        expect(await service.approvals.reject(ownerId, approval.id)).toMatchObject({ won: true });
      });

      it.each(columns)('has its approved request not started: %s', async (column) => {
        const mail = sandboxMail();
        let meanwhile = async (): Promise<void> => undefined;
        const given: Mail = {
          ...mail,
          async transmit(...args) {
            await meanwhile();
            await mail.transmit(...args);
          },
        };
        const opened = await open(openStore, { mail: given });
        const key = await opened.newKey();
        const approval = await waiting(opened, key.apiKey);
        meanwhile = () => edit(opened, column, key.keyId, '');
        const { service, ownerId } = opened;
        expect(await service.approvals.approve(ownerId, approval.id, approval.digest)).toMatchObject({
          won: true,
          approval: { state: 'failed', error: 'credential_off', startedAt: null },
        });
      });

      it('without its signatures is not signed again at the next start', async () => {
        const opened = await open(openStore);
        const key = await opened.newKey();
        await opened.sql("UPDATE credentials SET signature = ''; UPDATE secrets SET signature = ''");
        expect(await opened.request(key.apiKey)).toBe(401);
        const { service } = await openTestService({
          ...{ storage: opened.connect(), secretKeys: opened.secretKeys, email: 'second@example.org' },
        });
        onTestFinished(() => service.stop());
        expect((await callWith(service, key.apiKey, 'get_me')).status).toBe('error');
        expect(await opened.request(key.apiKey)).toBe(401);
      });

      it('stays valid when the secret keys are rotated', async () => {
        const opened = await open(openStore);
        const key = await opened.newKey();
        const secretKeys = [randomBytes(32), ...opened.secretKeys];
        const { service } = await openTestService({ storage: opened.connect(), secretKeys });
        onTestFinished(() => service.stop());
        expect((await callWith(service, key.apiKey, 'get_me')).status).toBe('ok');
        await service.keys.setModes(opened.ownerId, key.keyId, { 'mail:send': 'off' });
        // The first process does not have the new secret key.
        expect(await opened.request(key.apiKey)).toBe(401);
      });
    },
  );
}

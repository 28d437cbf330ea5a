import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStorage } from '../../adapters/postgres/storage.ts';
import { sandboxMail } from '../../adapters/sandbox/mail.ts';
import { callWith, openTestService, type TestClock, testClock } from '../open-service.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { missingPostgres, type Postgres, startPostgres } from '../servers/postgres.ts';

const missing = missingPostgres();

describe.skipIf(missing.length > 0)(titledWithout(missing, 'two hosts over one database'), () => {
  let postgres: Postgres;
  let connectionString: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    connectionString = await postgres.createDatabase();
  });
  afterAll(async () => {
    await postgres?.dropDatabase(connectionString);
    await postgres?.stop();
  });

  it('run as many direct sends as one: a clock that is ten minutes ahead does not raise the limit', async () => {
    const secretKeys = [randomBytes(32)];
    const mail = sandboxMail();
    const open = (clock: TestClock, email: string) =>
      openTestService({
        storage: postgresStorage({ connectionString }),
        ...{ clock, email, mail, secretKeys },
      });
    const ahead = testClock();
    ahead.shift(10 * 60_000);
    const [here, there] = [await open(testClock(), 'here@x.org'), await open(ahead, 'there@x.org')];
    const { apiKey } = await here.addKey('full', { 'mail:send': 'direct' });
    const known = ['friend@example.org'];
    const storage = postgresStorage({ connectionString });
    await storage.rememberRecipients(here.ownerId, 1, known, new Date());
    const fates: string[] = [];
    for (let n = 0; n < 10; n++) {
      const host = n % 2 === 0 ? here : there;
      const send = { to: known, subject: `Letter ${n}`, body: `Body ${n}` };
      fates.push((await callWith(host.service, apiKey, 'send_email', send)).status);
    }
    expect(fates.filter((status) => status === 'ok')).toHaveLength(5);
    expect(fates.slice(5)).toEqual(Array.from({ length: 5 }, () => 'pending_approval'));
    for (const each of [here, there]) await each.service.stop();
    await storage.close();
  });
});

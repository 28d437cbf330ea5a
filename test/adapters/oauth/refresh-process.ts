import { randomBytes } from 'node:crypto';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { accessTokens } from '../../../core/accounts/access-token.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { silentLog, testClock } from '../../open-service.ts';
import { ownProvider } from './own-provider.ts';

/** Gets new tokens for the only account of an owner, and is killed before it saves them. */

const [, , file = '', ownerId = '', secretKey = '', aheadMs = '', ...provider] = process.argv;
const [issuer = '', clientId = '', clientSecret = ''] = provider;
const storage = sqliteStorage({ file });
const killed = {
  ...storage,
  saveGrant: async () => {
    process.kill(process.pid, 'SIGKILL');
    return new Promise<never>(() => undefined);
  },
};
const clock = testClock();
clock.shift(Number(aheadMs));
const [account] = await storage.accounts(ownerId);
if (account === undefined) throw new Error('no account');
const keyring = createKeyring([Buffer.from(secretKey, 'hex')], randomBytes);
const mailProviders = [ownProvider({ issuer, clientId, clientSecret })];
const ports = { storage: killed, clock, log: silentLog, mailProviders };
await accessTokens(ports, keyring, account)();

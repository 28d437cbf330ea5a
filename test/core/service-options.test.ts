import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { caldavCalendar } from '../../adapters/caldav/calendar.ts';
import { httpsDocuments } from '../../adapters/documents/https-documents.ts';
import { workerText } from '../../adapters/extract/attachment-text.ts';
import { imapMail } from '../../adapters/imap/mail.ts';
import { ownerNotices } from '../../adapters/notices/owner-notices.ts';
import { postgresStorage } from '../../adapters/postgres/storage.ts';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import { processReader } from '../../adapters/reader/process-reader.ts';
import { sandboxCalendar } from '../../adapters/sandbox/calendar.ts';
import { sandboxMail } from '../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import { httpsSender } from '../../adapters/webhooks/https-sender.ts';
import type { Service } from '../../core/service/service.ts';
import { createService } from '../../hosts/embedded/countersign.ts';

// The options of an embedding app. It may be JavaScript, so no compiler checks them.

function options() {
  const storage = sqliteStorage({ file: ':memory:' });
  onTestFinished(() => storage.close());
  return {
    storage,
    mail: sandboxMail(),
    reader: inlineReader(),
    secretKeys: [randomBytes(32)],
    baseUrl: 'https://api.example.org',
    dashboardUrl: 'https://mail.example.org',
  };
}

/** As a program without types would call it. */
function created(changes: object): Service {
  return createService({ ...options(), ...changes });
}

describe('createService', () => {
  it.each(['storage', 'mail', 'reader', 'secretKeys', 'baseUrl', 'dashboardUrl'])('requires %s', (name) => {
    for (const none of [undefined, null]) {
      expect(() => created({ [name]: none })).toThrow(`createService: the option ${name} is missing.`);
    }
  });

  it.each<[string, object, string]>([
    ['an unknown option', { colour: 'red' }, 'there is no option colour'],
    ['an adapter that is not called', { mail: sandboxMail }, 'the option mail must be an object'],
    ['an address as a URL', { baseUrl: new URL('https://example.org') }, 'baseUrl must be a string'],
    ['a path with a space', { baseUrl: 'https://example.org/my app' }, 'baseUrl must be an address'],
    [
      'a path with a semicolon',
      { dashboardUrl: 'https://example.org/a;b' },
      'dashboardUrl must be an address',
    ],
    ['a path with an empty segment', { baseUrl: 'https://example.org//a' }, 'baseUrl must be an address'],
    ['an address with a query', { baseUrl: 'https://example.org/a?b' }, 'baseUrl must be an address'],
    ['an address that is not http', { baseUrl: 'ftp://example.org' }, 'baseUrl must be an address'],
    ['a sign-in host with a semicolon', { mcpUrl: 'https://example.org/a;b' }, 'mcpUrl must be an address'],
    ['no key', { secretKeys: [] }, 'secretKeys: give at least one key'],
    ['a key alone', { secretKeys: randomBytes(32) }, 'secretKeys: give a list'],
    ['a string as a key', { secretKeys: ['x'.repeat(32)] }, 'secretKeys[0]: a key is a Uint8Array'],
    ['a short key', { secretKeys: [randomBytes(31)] }, 'secretKeys[0]: a key has 32 bytes, this one 31'],
    ['an unknown plan', { plan: 'gold' }, 'plan must be free or paid'],
    ['an unknown limit', { limits: { calls: 1 } }, 'limits has no calls'],
    ['a limit below 0', { limits: { callsPerMinute: -1 } }, 'limits.callsPerMinute must be a whole number'],
    ['a limit as text', { limits: { callsPerDay: '9' } }, 'limits.callsPerDay must be a whole number'],
  ])('refuses %s, and names the problem', (_name, changes, says) => {
    expect(() => created(changes)).toThrow(says);
  });
});

describe('the factory of an adapter', () => {
  it.each<[string, (options: never) => unknown]>([
    ['sqliteStorage', sqliteStorage],
    ['postgresStorage', postgresStorage],
    ['imapMail', imapMail],
    ['caldavCalendar', caldavCalendar],
    ['sandboxMail', sandboxMail],
    ['sandboxCalendar', sandboxCalendar],
    ['workerText', workerText],
    ['processReader', processReader],
    ['httpsSender', httpsSender],
    ['httpsDocuments', httpsDocuments],
    ['ownerNotices', ownerNotices],
  ])('%s names an unknown option, and a value that is not an object of options', (name, factory) => {
    const call = factory as (options: unknown) => unknown;
    expect(() => call({ fiel: 'app.db' })).toThrow(
      new RegExp(`^${name}: there is no option fiel\\. The options are \\w+.*\\.$`),
    );
    expect(() => call('app.db')).toThrow(`${name}: the options must be an object.`);
  });

  it.each<[string, () => unknown, string]>([
    ['no file', () => sqliteStorage({} as never), 'sqliteStorage: the option file is missing.'],
    ['no options', () => sqliteStorage(undefined as never), 'sqliteStorage: the options must be an object.'],
    ['an empty file', () => sqliteStorage({ file: '' }), 'sqliteStorage: the option file is missing.'],
    ['a number as file', () => sqliteStorage({ file: 5 as never }), 'the option file must be a string.'],
    [
      'an empty connection string',
      () => postgresStorage({ connectionString: '' }),
      'postgresStorage: the option connectionString is missing.',
    ],
    [
      'a word instead of a rule',
      () => imapMail({ allowPrivateServers: 'all' as never }),
      'imapMail: the option allowPrivateServers must be a boolean or a function.',
    ],
    [
      'no connection',
      () => imapMail({ maxConnectionsPerAccount: 0 }),
      'imapMail: the option maxConnectionsPerAccount must be a whole number, 1 or more.',
    ],
  ])('names the option for %s', (_name, call, message) => {
    expect(call).toThrow(message);
  });
});

describe('an address', () => {
  it('may have a path, and loses the slash at its end', () => {
    const service = created({
      baseUrl: 'https://example.org/my-app/v.1/',
      dashboardUrl: 'https://example.org/',
    });
    expect(service.baseUrl).toBe('https://example.org/my-app/v.1');
    expect(service.dashboardUrl).toBe('https://example.org');
  });
});

describe('an owner', () => {
  it.each<[string, unknown]>([
    ['a number', 17],
    ['nothing', ''],
    ['two lines', 'a\nb'],
    ['256 characters', 'x'.repeat(256)],
  ])('cannot have %s as id', async (_name, ownerId) => {
    const { owners } = createService(options());
    await expect(
      owners.create({ ownerId: ownerId as string, email: 'grace@example.org' }),
    ).rejects.toMatchObject({ code: 'invalid_arguments', details: { errors: [{ field: 'ownerId' }] } });
  });

  it('has the id that the app uses', async () => {
    const { owners } = createService(options());
    for (const ownerId of ['17', 'user:17 é', 'x'.repeat(255)])
      expect(await owners.create({ ownerId, email: `a${ownerId.length}@example.org` })).toEqual({ ownerId });
  });
});

describe('a key', () => {
  it.each<[string, object, string]>([
    ['an unknown preset', { preset: 'huge' }, 'preset'],
    ['an unknown group', { modes: { 'mail:sned': 'off' } }, 'mail:sned'],
    ['an unknown mode', { modes: { 'mail:send': 'never' } }, 'mail:send'],
  ])('is not created with %s', async (_name, changes, field) => {
    const { owners, keys } = createService(options());
    const { ownerId } = await owners.create({ email: 'grace@example.org' });
    const wrong = { ownerId, name: 'agent', preset: 'full', ...changes } as Parameters<typeof keys.create>[0];
    await expect(keys.create(wrong)).rejects.toMatchObject({
      code: 'invalid_arguments',
      details: { errors: [{ field }] },
    });
    expect(await keys.list(ownerId)).toEqual([]);
  });
});

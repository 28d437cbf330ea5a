import { randomBytes } from 'node:crypto';
import { expectTypeOf, it, onTestFinished } from 'vitest';
import { type CalendarServer, caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import { type ImapSettings, imapMail, type MailServer } from '../../../adapters/imap/mail.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { Mail } from '../../../core/adapter.ts';
import type { Service } from '../../../core/service/service.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';

/** The adapters decide what `accounts.connect` takes as settings. The compiler checks this file. */

const server: MailServer = { host: 'mail.example.org', port: 993, security: 'tls', user: 'u', pass: 'p' };
const caldav: CalendarServer = { url: 'https://dav.example.org/', user: 'u', pass: 'p' };
const account = { ownerId: '1', email: 'a@example.org' };

function options() {
  const storage = sqliteStorage({ file: ':memory:' });
  onTestFinished(() => storage.close());
  return {
    storage,
    reader: inlineReader(),
    secretKeys: [randomBytes(32)],
    baseUrl: 'https://api.example.org',
    dashboardUrl: 'https://mail.example.org',
  };
}

it('settings of IMAP and CalDAV accounts are checked', () => {
  const { accounts } = createService({
    ...options(),
    mail: imapMail(),
    calendar: caldavCalendar({ reader: inlineReader() }),
  });
  const calls = () => [
    accounts.connect({ ...account, settings: { imap: server, smtp: server } }),
    accounts.connect({ ...account, settings: { imap: server, smtp: server, caldav } }),
    accounts.calendars({ ...account, settings: { imap: server, smtp: server, caldav } }),
    // @ts-expect-error misspelt
    accounts.connect({ ...account, settings: { imapp: server, smtp: server } }),
    // @ts-expect-error an unknown name besides
    accounts.connect({ ...account, settings: { imap: server, smtp: server, pop3: server } }),
    // @ts-expect-error the port is a number
    accounts.connect({ ...account, settings: { imap: { ...server, port: '993' }, smtp: server } }),
    // @ts-expect-error the calendar's password is missing
    accounts.connect({ ...account, settings: { imap: server, smtp: server, caldav: { url: '', user: '' } } }),
    // @ts-expect-error misspelt
    accounts.calendars({ ...account, settings: { imapp: server, smtp: server } }),
  ];
  expectTypeOf(calls).toBeFunction();
});

it('an adapter of the app has its own settings, and one without a type takes anything', () => {
  const { Settings: _anything, ...mailbox } = sandboxMail();
  const own: Mail<{ token: string }> = mailbox;
  const { accounts } = createService({ ...options(), mail: own });
  expectTypeOf(accounts.connect).parameter(0).toHaveProperty('settings').toEqualTypeOf<{ token: string }>();
  const sandbox = createService({ ...options(), mail: sandboxMail() });
  expectTypeOf(sandbox).toEqualTypeOf<Service>();
  expectTypeOf(createService<ImapSettings, unknown>).returns.toEqualTypeOf<Service<ImapSettings>>();
});

it('a host takes the service of any settings', () => {
  expectTypeOf<Service<ImapSettings>>().toExtend<Service>();
});

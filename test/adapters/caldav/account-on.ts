import { onTestFinished } from 'vitest';
import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import type { Log } from '../../../core/ports/log.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Reader } from '../../../core/ports/reader.ts';
import { eventsOn } from '../../events-on.ts';
import { PASSWORD } from '../../servers/mail-users.ts';

/**
 * A calendar account on a server, as core sees it. It is closed with the test.
 * @param change  of its settings
 */
export function accountOn(
  url: string,
  {
    user = 'ada@example.org',
    log,
    reader = inlineReader(),
    change = {},
  }: {
    user?: string;
    log?: Log | undefined;
    reader?: Reader;
    change?: Readonly<Record<string, string>>;
  } = {},
) {
  const logging = log === undefined ? {} : { log };
  const calendar = eventsOn(caldavCalendar({ reader, allowPrivateServers: true, ...logging }), logging);
  onTestFinished(() => calendar.close());
  const caldav = { url, user, pass: PASSWORD, ...change };
  const account = { ownerId: 'o', accountId: 1, email: user, settings: async () => ({ caldav }) };
  const call: MailCall = { account, signal: new AbortController().signal, deadlineMs: 20_000 };
  return { calendar, call, caldav };
}

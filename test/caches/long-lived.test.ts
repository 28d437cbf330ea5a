import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sourceFacts } from '../source-facts.ts';
import { ADAPTER_FILLERS, DOVECOT_FILLERS } from './adapter-fillers.ts';
import { CORE_FILLERS } from './core-fillers.ts';

// Whatever grows as long as the process lives has a bound. What is kept for later use is filled by its widest door, and
// its memory is measured.

/**
 * `filled`: a cache, which `filled.test.ts` fills. `measured`: a cache, which the named test fills. `part`: of another
 * cache, which counts it. `few`: there are only as many as the code names. `work`: what goes on at the moment. `call`:
 * it ends with one call, or with one document. `store`: it is the data itself, for demos and tests.
 */
type Kind = 'filled' | 'measured' | 'part' | 'few' | 'work' | 'call' | 'store';

const BOUNDS: Readonly<Record<string, readonly [Kind, bound: string]>> = {
  'adapters/caldav/calendar.ts caldavCalendar.kept': [
    'measured',
    'test/adapters/caldav/kept-calendars.test.ts',
  ],
  'adapters/caldav/calendar.ts caldavCalendar.servers': ['filled', '16 MB'],
  'adapters/caldav/http.ts calendarHttp.agents': ['work', 'the hosts of one account that have a connection'],
  'adapters/caldav/joined-pieces.ts joinedPieces.pieces': ['call', 'the most bytes of its response'],
  'adapters/discovery/https-get.ts answerOf.chunks': ['call', 'the most bytes of its response'],
  'adapters/driver/load-driver.ts loaded': ['few', 'the drivers of databases'],
  'adapters/extract/compound-file.ts openCompoundFile.opened': ['call', 'in a reading process'],
  'adapters/extract/compound-file.ts openCompoundFile.taken': ['call', 'in a reading process'],
  'adapters/extract/doc-text.ts shownText.fields': ['call', 'in a reading process'],
  'adapters/extract/epub-styles.ts styleSheets.sheets': ['call', 'in a reading process'],
  'adapters/extract/pdf-character-maps.ts cache': ['few', 'the charsets of fonts'],
  'adapters/extract/sheet-rows.ts sheetRows.hiddenColumns': ['call', 'in a reading process'],
  'adapters/imap/account-connections.ts accountConnections.connections': [
    'work',
    'maxConnectionsPerAccount; idle ones end after 9 min',
  ],
  'adapters/imap/account-connections.ts accountConnections.waiting': ['work', 'calls that run'],
  'adapters/imap/imap-accounts.ts imapAccounts.dates': ['filled', '64 MB'],
  'adapters/imap/imap-accounts.ts imapAccounts.folders': ['filled', '8 MB'],
  'adapters/imap/imap-accounts.ts imapAccounts.index': ['filled', '64 MB'],
  'adapters/imap/imap-accounts.ts imapAccounts.messages': ['filled', '8 MB'],
  'adapters/imap/imap-accounts.ts imapAccounts.rows': ['filled', '24 MB'],
  'adapters/imap/missing-parts.ts missingParts.refused': ['call', 'the folders of one account'],
  'adapters/imap/missing-parts.ts missingParts.undelivered': ['call', 'the folders of one account'],
  'adapters/mail-index/index-file.ts indexFile.termsKept': ['filled', '8 MB'],
  'adapters/mail-index/sqlite-index.ts sqliteIndex.waiting': ['work', 'calls that run'],
  'adapters/postgres/database.ts statements': ['few', 'the statements of the code'],
  'adapters/process/process-pool.ts processPool.held': ['work', 'owners whose jobs run or wait'],
  'adapters/process/process-pool.ts processPool.idle': ['work', 'the processes of the pool'],
  'adapters/process/process-pool.ts processPool.running': ['work', 'the processes of the pool'],
  'adapters/process/slow-work.ts slowWork.known': ['filled', '1000 hashes'],
  'adapters/process/turns.ts turns.waiting': ['work', 'the jobs and bytes that one owner may have waiting'],
  'adapters/remote/open-accounts.ts openAccounts.accounts': [
    'work',
    'accounts with a connection, or used in the last 10 min',
  ],
  'adapters/remote/paced-reads.ts waiting': ['work', 'one for each open socket'],
  'core/state/remembering.ts remembering.values': ['filled', '2 MB for each column'],
  'adapters/sql/write-text.ts texts': ['few', 'the writes of the code'],
  'adapters/sandbox/calendar.ts sandboxCalendar.calendars': ['store', 'the sandbox'],
  'adapters/sandbox/mail.ts sandboxMail.mailboxes': ['store', 'the sandbox'],
  'adapters/sandbox/mail.ts sandboxMail.transmissions': ['store', 'the sandbox'],
  'adapters/sandbox/mail.ts sandboxMail.watches': ['work', 'inboxes that are watched'],
  'adapters/smtp/sender.ts smtpSender.idle': ['work', 'one connection of an account, for 45 s'],
  'adapters/smtp/sender.ts smtpSender.refused': ['filled', '4 MB'],
  'adapters/sqlite/grouped.ts grouping.waiting': ['work', 'writes of one turn of the event loop'],
  'adapters/sqlite/lock-line.ts lockLine.line': ['work', 'writes that wait, 5 s at most'],
  'adapters/sqlite/store.ts sqliteStore.prepared': ['few', 'the statements of the code'],
  'core/accounts/account-cache.ts accountCache.cache': ['part', 'each cache of accounts is listed by itself'],
  'core/accounts/health-reports.ts healthReports.writing': ['work', 'reports that are written'],
  'core/accounts/health-reports.ts healthReports.written': ['filled', '4 MB'],
  'core/accounts/object-calendar.ts objectCalendar.kept': [
    'measured',
    'test/core/accounts/object-calendar.test.ts',
  ],
  'core/ical/object.ts clocksOf.zones': ['call', 'the zones of one object'],
  'core/ical/vtimezone.ts zoneOf.years': ['call', 'the budget of work of one object'],
  'core/ical/zone-agreement.ts agreement.days': ['part', 'of known: 10,000 days'],
  'core/ical/zone-agreement.ts known': ['filled', '64 descriptions: 40 MB'],
  'core/call/message-handles.ts createMessageHandles.ids': ['filled', '8 MB'],
  'core/call/message-handles.ts createMessageHandles.messages': ['filled', '8 MB'],
  'core/call/read-recorder.ts readRecorder.known': ['filled', '20 MB'],
  'core/call/read-recorder.ts readRecorder.lists': ['filled', '8 MB'],
  'core/call/read-recorder.ts readRecorder.owners': ['filled', '1 MB'],
  'core/execution/execute-approval.ts createExecutor.running': ['work', 'approvals that run'],
  'core/keys/address-budget.ts createAddressBudget.windows': ['filled', '10,000 windows'],
  'core/mail-index/account-turns.ts accountTurns.last': ['work', 'accounts with work on their index'],
  'core/mail-index/fill-accounts.ts createFilling.underWay': ['work', 'accounts that are indexed'],
  'core/mail-index/kept-index.ts createKeptIndex.met': ['few', 'accounts that are in use'],
  'core/mail-index/kept-index.ts createKeptIndex.rebuilt': ['few', 'accounts whose server is odd'],
  'core/mail-index/kept-index.ts createKeptIndex.turnedOff': ['few', 'accounts without an index'],
  'core/mail/charset.ts DECODERS': ['few', 'the encodings of the runtime'],
  'core/html/computed-style.ts styleReader.inline': ['call', 'the declarations of one message'],
  'core/html/computed-style.ts styleReader.known': ['call', 'the style sheets of one message'],
  'core/html/hidden-html.ts seenIn.computed': ['call', 'the elements of one message'],
  'core/html/hidden-html.ts sightReader.pages': ['call', 'the style sheets of one message'],
  'core/html/text-layout.ts textLayout.indents': ['call', 'the text of one message'],
  'core/html/text-layout.ts textLayout.out': ['call', 'the text of one message'],
  'core/html/text-layout.ts textLayout.words': ['call', 'the text of one message'],
  'core/mime/delimiters.ts delimitersOf.levels': ['call', '20 multiparts inside each other'],
  'core/xml/xml-parts.ts xmlParts.open': ['call', 'the depth of the document'],
  'core/memory/bounded-cache.ts boundedCache.entries': ['filled', 'what its user says'],
  'core/secrets/keyring.ts createKeyring.ring.derived': ['few', 'the purposes of the code'],
  'core/secrets/keyring.ts createKeyring.verified': ['filled', '2 MB'],
  'core/gate/approval-waits.ts createApprovalWaits.alarms': ['work', '10 waits of a key'],
  'core/gate/slot-waits.ts createSlotWaits.waiting': ['work', '8 waits of a key'],
  'core/work/attempts.ts createAttempts.running': ['work', 'attempts in flight'],
  'core/gate/calls.ts createCalls.lists': ['few', 'the combinations of permission groups, 1024 at most'],
  'core/keys/client-documents.ts createClientDocuments.kept': ['filled', '1 MB'],
  'core/keys/client-documents.ts createClientDocuments.underway': ['work', '32 fetches at once'],
  'core/service/create-service.ts createService.listeners': ['few', 'the listeners of the app'],
  'core/events/deliver-events.ts createEventDelivery.busy': ['work', 'the listeners of the app'],
  'core/events/deliver-events.ts createEventDelivery.listeners': ['few', 'the listeners of the app'],
  'core/events/deliver-webhooks.ts createWebhookDelivery.ended': [
    'work',
    'attempts in flight, until they are stored',
  ],
  'core/events/deliver-webhooks.ts createWebhookDelivery.ofEndpoint': ['work', 'attempts in flight'],
  'core/events/deliver-webhooks.ts createWebhookDelivery.ofOwner': ['work', 'attempts in flight'],
  'core/events/deliver-webhooks.ts createWebhookDelivery.underWay': ['work', 'attempts in flight'],
  'core/work/lifecycle.ts createLifecycle.timers': ['few', 'the timers of the code'],
  'core/work/lifecycle.ts createLifecycle.underWay': ['work', 'calls that run'],
  'core/notices/notices.ts createNotices.codesSent': ['filled', '4 MB'],
  'core/requests/request-watch.ts createRequestWatch.watchings': ['work', 'pages that are open'],
  'core/notices/send-notices.ts createNoticeDelivery.underWay': ['work', '64 notices in flight'],
  'core/requests/shown-sources.ts shownSources.sources': ['call', 'the reads of one page, 2500 at most'],
  'core/state/committed-changes.ts observeCommits.listeners': ['few', 'the listeners of the code'],
  'core/text/fence-look-alikes.ts known': ['filled', '5000 characters'],
  'core/time/backoff.ts createBackoff.failed': ['filled', '10,000 keys'],
  'core/time/date-format.ts known': ['filled', '5 MB, most of it outside the heap'],
  'core/time/iana-zone.ts ianaZone.days': ['filled', '640,000 days: 40 MB'],
  'core/time/iana-zone.ts known': ['part', 'has the days, and 100 formatters'],
  'core/watching/watch-inboxes.ts createInboxWatch.entries': ['work', 'inboxes that this process has leased'],
  'core/watching/watch-inboxes.ts createInboxWatch.opening': ['work', '16 at once'],
  'core/watching/watch-inboxes.ts createInboxWatch.renewedMs': ['work', 'owners whose inboxes it has leased'],
  'hosts/dashboard/icon.ts drawn': ['few', 'the sizes of the icon'],
  'hosts/dashboard/live/live-pages.ts livePages.pages': ['work', 'pages that are open'],
  'hosts/dashboard/owners/date-language.tsx names': ['few', 'the languages that the page offers'],
  'hosts/mcp/cancellable-calls.ts cancellableCalls.running': ['work', 'calls that wait'],
  'hosts/rest/openapi/body-names.ts bodyNames.schemas': ['few', 'the operations of one description'],
  'hosts/server/listeners/connection-caps.ts capConnections.connections': ['work', 'the cap of connections'],
  'hosts/server/loop-watch.ts watchLoop.recent': ['work', 'the kinds of work'],
  'hosts/server/loop-watch.ts watchLoop.running': ['work', 'the kinds of work'],
  'hosts/server/listeners/web-server.ts listen.early': [
    'work',
    'the cap of connections, until the service has started',
  ],
  'hosts/stdio/bridge.ts runBridge.running': ['work', 'calls of the one program in front of it'],
  'hosts/stdio/bridge.ts runBridge.underWay': ['work', 'calls of the one program in front of it'],
};

const named = (wanted: Kind) =>
  Object.entries(BOUNDS).flatMap(([name, [kind, bound]]) => (kind === wanted ? [{ name, bound }] : []));

it('everything that grows as long as the process lives is known, with its bound', async () => {
  expect((await sourceFacts()).longLived).toEqual(Object.keys(BOUNDS).toSorted());
});

it('every cache is filled by a test', () => {
  const fillers = [CORE_FILLERS, ADAPTER_FILLERS, DOVECOT_FILLERS].flatMap((some) => Object.keys(some));
  expect(fillers.toSorted()).toEqual(
    named('filled')
      .map(({ name }) => name)
      .toSorted(),
  );
  const root = join(import.meta.dirname, '../..');
  expect(named('measured').filter(({ bound }) => !existsSync(join(root, bound)))).toEqual([]);
});

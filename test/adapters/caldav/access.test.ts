import { expect, it, onTestFinished } from 'vitest';
import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { startScriptedCaldav } from '../../servers/scripted-caldav.ts';

const OWNER = '<d:owner><d:href>/me/</d:href></d:owner>';
const ace = (principal: string, privilege: string) =>
  `<d:ace><d:principal>${principal}</d:principal><d:grant><d:privilege>${privilege}</d:privilege></d:grant></d:ace>`;
const MINE = ace('<d:self/>', '<d:all/>');
const acl = (...aces: string[]) => `<d:acl>${aces.join('')}</d:acl>`;
const SHARING = '1, calendar-access, access-control, calendarserver-sharing';
const refused = (prop: string) =>
  `</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat><d:propstat><d:prop>${prop}</d:prop><d:status>HTTP/1.1 403 No</d:status></d:propstat><d:propstat><d:prop>`;

it.each<readonly [what: string, types: string, props: string, dav: string, access: string]>([
  ['without properties, on a server without sharing', '', '', '1, calendar-access', 'own'],
  ['of the owner, on a server without sharing', '', OWNER, '1, calendar-access', 'own'],
  ['of somebody else', '', '<d:owner><d:href>/boss/</d:href></d:owner>', '1, calendar-access', 'shared'],
  ['without sharing properties', '', OWNER, SHARING, 'unknown'],
  ['with a hidden access list', '', OWNER + refused('<d:acl/>'), '1, access-control', 'unknown'],
  ['with an access list of only the owner', '', OWNER + acl(MINE), SHARING, 'own'],
  ['with an entry that names the owner', '', acl(ace('<d:href>/me</d:href>', '<d:all/>')), SHARING, 'own'],
  [
    'with an entry for the owner property',
    '',
    acl(ace('<d:property><d:owner/></d:property>', '<d:all/>')),
    SHARING,
    'own',
  ],
  ['whose busy times everybody sees', '', acl(MINE, ace('<d:all/>', '<c:read-free-busy/>')), SHARING, 'own'],
  ['that everybody can read', '', acl(MINE, ace('<d:all/>', '<d:read/>')), SHARING, 'shared'],
  [
    'that another person may write to',
    '',
    acl(MINE, ace('<d:href>/boss/</d:href>', '<d:write/>')),
    SHARING,
    'shared',
  ],
  ['that a large group may read', '', acl(ace('<d:authenticated/>', '<d:read/>')), SHARING, 'shared'],
  ['with an entry that cannot be read', '', acl(ace('<d:strange/>', '<d:read/>')), SHARING, 'shared'],
  [
    'that was shared with the owner',
    '<cs:shared xmlns:cs="http://calendarserver.org/ns/"/>',
    OWNER,
    SHARING,
    'shared',
  ],
  [
    'that the owner shared',
    '<cs:shared-owner xmlns:cs="http://calendarserver.org/ns/"/>',
    OWNER,
    SHARING,
    'shared',
  ],
  [
    'that the server reports as not shared',
    '',
    `${OWNER}<d:share-access><d:not-shared/></d:share-access>`,
    SHARING,
    'own',
  ],
  [
    'that the server reports as shared',
    '',
    `${OWNER}<d:share-access><d:shared-owner/></d:share-access>`,
    SHARING,
    'shared',
  ],
  [
    'to which nobody is invited',
    '',
    `${OWNER}<cs:invite xmlns:cs="http://calendarserver.org/ns/"/>`,
    SHARING,
    'own',
  ],
  [
    'to which somebody is invited',
    '',
    `${OWNER}<i:invite xmlns:i="http://owncloud.org/ns"><i:user/></i:invite>`,
    SHARING,
    'shared',
  ],
])('a calendar %s', async (_what, types, props, dav, access) => {
  const server = await startScriptedCaldav((asked, response) => {
    if (asked.path !== '/home/') return 'usual';
    const type = `<d:resourcetype><d:collection/><c:calendar/>${types}</d:resourcetype>`;
    const propstat = `<d:propstat><d:prop>${type}${props}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>`;
    response.writeHead(207, { 'content-type': 'application/xml', dav });
    response.end(
      `<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:response><d:href>/home/calendar/</d:href>${propstat}</d:response></d:multistatus>`,
    );
    return 'answered';
  });
  const calendar = caldavCalendar({ reader: inlineReader(), allowPrivateServers: true });
  onTestFinished(() => calendar.close());
  const caldav = { url: server.url, user: 'ada@example.org', pass: 'secret' };
  const account = {
    ownerId: 'o',
    accountId: 1,
    email: 'ada@example.org',
    settings: async () => ({ caldav }),
  };
  const call = { account, signal: new AbortController().signal, deadlineMs: 10_000 };
  expect(await calendar.calendars(call)).toMatchObject([{ access }]);
});

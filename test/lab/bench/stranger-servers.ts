import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { z } from 'zod';
import { ODD_CALDAV, ODD_IMAP, ODD_SMTP } from '../../odd-servers/behaviours.ts';
import { multistatus, usual } from '../../servers/caldav-answers.ts';
import { answerParent } from './answer-parent.ts';
import type { strangersAnswer } from './child-messages.ts';
import { HOSTILE_CALENDARS } from './hostile-calendars.ts';

/** A process with the servers of strangers: calendars that take long to read, and servers that behave oddly. */

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function portsOf<T>(all: Readonly<Record<string, T>>, open: (one: T) => Server) {
  const named = Object.entries(all).map(async ([name, one]) => [name, await listening(open(one))] as const);
  return Object.fromEntries(await Promise.all(named));
}

/** A calendar whose objects have changed with each request, so that nobody keeps them. */
function calendarServer(make: () => readonly string[]): Server {
  const responses = make().map(
    (ics, index) =>
      `<d:response><d:href>/home/calendar/${index}.ics</d:href><d:propstat><d:prop><d:getetag>"N"</d:getetag><c:calendar-data>${ics}</c:calendar-data></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`,
  );
  const all = responses.join('');
  let requests = 0;
  return createHttpServer((request, response) => {
    request.resume();
    const { method = '', url: path = '', headers } = request;
    requests += 1;
    if (method === 'REPORT') multistatus(response, all.replaceAll('"N"', `"${requests}"`));
    else usual({ method, path, headers, body: '' }, response, []);
  });
}

const odd = (talk: (typeof ODD_IMAP)[string]) =>
  createServer((socket) => {
    socket.on('error', () => undefined);
    talk(socket);
  });

const all: z.infer<typeof strangersAnswer> = {
  calendars: await portsOf(HOSTILE_CALENDARS, calendarServer),
  imap: await portsOf(ODD_IMAP, odd),
  smtp: await portsOf(ODD_SMTP, odd),
  caldav: await portsOf(ODD_CALDAV, odd),
};

answerParent(
  async () => all,
  () => process.exit(0),
);

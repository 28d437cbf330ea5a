import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { openTestService } from '../../open-service.ts';
import { usual } from '../../servers/caldav-answers.ts';
import { asking, type Stage } from './stage.ts';

const calendarAnswer = z.looseObject({ events: z.array(z.looseObject({ event_id: z.int() })).optional() });

/** The grammars generate dates around this day. */
const NOW_MS = Date.UTC(2026, 2, 1, 12);
const EVENTS_CHANGED = 2;

/** A calendar account whose server answers each REPORT with the sample, as a calendar object or as the whole response. */
export async function playedCalendar(email: string): Promise<Stage> {
  let sample = '';
  let isAnswer = false;
  const server = createServer((request, response) => {
    request.resume();
    const { method = '', url: path = '', headers } = request;
    if (method === 'REPORT' && isAnswer) {
      response.writeHead(207, { 'content-type': 'application/xml; charset=utf-8' }).end(sample);
      return;
    }
    const data = sample.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    usual({ method, path, headers, body: '' }, response, [{ name: 'one.ics', data }]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { log, ask } = asking();
  const { service, addKey, clock } = await openTestService({
    calendar: caldavCalendar({ reader: inlineReader(), allowPrivateServers: true }),
    email,
    log,
    timezone: 'Europe/Zurich',
    settings: { caldav: { url: `http://127.0.0.1:${port}/`, user: 'ada', pass: 'secret' } },
  });
  clock.shift(NOW_MS - Date.now());
  const key = await addKey('full');
  return {
    async play(raw, kind) {
      sample = raw.toString('utf8');
      isAnswer = kind === 'caldav';
      const { call, played } = ask(key, calendarAnswer);
      const { events = [] } = await call('list_events', { days: 365, past_days: 365 });
      for (const { event_id } of events.slice(0, EVENTS_CHANGED)) {
        await call('update_event', { event_id, title: 'Changed' });
        await call('cancel_event', { event_id });
        await call('confirm_event', { event_id });
      }
      return played;
    },
    async close() {
      await service.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}

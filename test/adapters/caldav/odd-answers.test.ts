import type { ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MailError } from '../../../core/ports/mail.ts';
import { object } from '../../contracts/calendar/scene.ts';
import { sizeOf } from '../../only-long.ts';
import { sampleSeed } from '../../samples.ts';
import { startScriptedCaldav } from '../../servers/scripted-caldav.ts';
import { accountOn } from './account-on.ts';

// 200 rounds of answers that no calendar server should give: no call hangs, no connection stays taken, and no memory stays.

const MARCH = { from: new Date('2026-03-01'), to: new Date('2026-04-01'), timezone: 'UTC' };
const XML = { 'content-type': 'application/xml' };
const BEGIN = '<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">';
const PIECE = 'x'.repeat(64 * 1024);

type Answer = (response: ServerResponse) => void;
const status =
  (code: number): Answer =>
  (response) =>
    void response.writeHead(code, { 'content-type': 'text/html' }).end(`<html>${PIECE}`);

const ODD: readonly Answer[] = [
  ...[100, 200, 204, 206, 207, 301, 400, 401, 403, 404, 409, 412, 429, 500, 501, 502, 503, 507].map(status),
  (response) => void response.destroy(),
  (response) => void response.writeHead(207, XML).end(),
  (response) => void response.writeHead(207, XML).end(`${BEGIN}<d:response><d:href>/home/</d:href>`),
  (response) => void response.writeHead(207, XML).end(`${BEGIN}<d:response></d:href></d:multistatus>`),
  (response) => void response.writeHead(207, XML).end(`<!DOCTYPE a [<!ENTITY b "c">]>${BEGIN}`),
  (response) => void response.writeHead(207, { ...XML, 'content-encoding': 'gzip' }).end(gzipSync(PIECE)),
  (response) => void response.writeHead(207, { ...XML, 'content-length': '10' }).end(PIECE),
  (response) => void response.writeHead(207, { ...XML, 'content-length': '99999999' }).write(BEGIN),
  (response) => void response.writeHead(207, XML).write(BEGIN, () => response.destroy()),
  (response) => void response.writeHead(302, { location: '/' }).end(),
  (response) => void response.writeHead(302, { location: 'https://login.example.org/' }).end(PIECE),
  (response) => void response.writeHead(302, { location: 'http://[' }).end(),
  (response) => void response.writeHead(401, { 'www-authenticate': 'Digest nonce=' }).end(PIECE),
  (response) =>
    void response.writeHead(207, { ...XML, dav: PIECE.slice(0, 8000) }).end(`${BEGIN}</d:multistatus>`),
  // Nothing at all until the call is over.
  () => undefined,
];

const ROUNDS = sizeOf('properties: samples', 200, 60);

it(`${ROUNDS} rounds of odd answers leave no call hanging, no connection taken, and no memory behind`, async () => {
  let answers: readonly number[] = [];
  let next = 0;
  const isOdd = () => answers.length > 0;
  const stored = { name: 'one.ics', data: object('one', 'DTSTART:20260310T090000Z') };
  const server = await startScriptedCaldav(
    (_asked, response) => {
      if (!isOdd()) return 'usual';
      const answer = answers[next % answers.length] ?? -1;
      next += 1;
      const odd = ODD[answer];
      if (odd === undefined) return 'usual';
      try {
        odd(response);
      } catch {
        // Node refuses to write some of them.
        response.destroy();
      }
      return 'answered';
    },
    [stored],
  );
  const { calendar, call } = accountOn(server.url);
  const place = { calendar: '/home/calendar/', name: 'one.ics' };
  const soon = { ...call, deadlineMs: 150 };
  const calls = [
    () => calendar.list(soon, MARCH),
    () => calendar.read(soon, { calendar: place.calendar, uid: 'one', recurrenceId: null }, 'UTC'),
    () => calendar.write(soon, { ...place, document: stored.data, ifMatch: '"1"' }, async () => true),
    () => calendar.remove(soon, { ...place, ifMatch: '"1"' }, async () => true),
    () => calendar.calendars(soon),
    () => calendar.target(soon),
  ];
  // Some requests of a round are answered as usual, so that odd answers also come later in a call.
  const rounds = fc.sample(
    fc.array(fc.integer({ min: -6, max: ODD.length - 1 }), { minLength: 1, maxLength: 5 }),
    {
      numRuns: ROUNDS,
      seed: sampleSeed,
    },
  );
  expect(await calendar.list(call, MARCH)).toMatchObject({ events: [{ uid: 'one' }] });
  let before = 0;
  for (const [round, odd] of rounds.entries()) {
    answers = odd;
    next = 0;
    const ended = await Promise.allSettled(calls.map((one) => one()));
    for (const one of ended) {
      if (one.status === 'rejected')
        expect(one.reason, `round ${round}: ${odd.join()}`).toBeInstanceOf(MailError);
    }
    if (round === ROUNDS / 4) before = heapBytes();
  }
  const grown = heapBytes() - before;
  answers = [];
  // All four connections at once.
  const last = await Promise.all(Array.from({ length: 8 }, () => calendar.list({ ...call }, MARCH)));
  expect(last.map(({ events }) => events.length)).toEqual(Array(8).fill(1));
  expect(grown).toBeLessThan(8_000_000);
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

import { describe, expect, it, onTestFinished } from 'vitest';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { processReader } from '../../../adapters/reader/process-reader.ts';
import type { Reader } from '../../../core/ports/reader.ts';
import type { JobInput } from '../../../core/reading/jobs.ts';
import { object } from '../../contracts/calendar/scene.ts';
import { multistatus } from '../../servers/caldav-answers.ts';
import { startScriptedCaldav } from '../../servers/scripted-caldav.ts';
import { processThatWorks } from '../process/process-that.ts';
import { accountOn } from './account-on.ts';

/** What servers answer is read by the reader of the account's calendar, with its limits. */

const MARCH = { from: new Date('2026-03-01'), to: new Date('2026-04-01'), timezone: 'UTC' };
const PLACE = { calendar: '/home/calendar/', name: 'a.ics' };
const STORED = [{ name: 'one.ics', data: object('one', 'DTSTART:20260310T090000Z') }];

async function openedReader(does: string): Promise<Reader> {
  const reader = processReader({ workerFile: (await processThatWorks(does))() });
  onTestFinished(() => reader.close());
  return reader;
}

/** Reads here, and keeps the documents that it got. */
function watched(): { reader: Reader; documents: JobInput<'xml'>['document'][] } {
  const inline = inlineReader();
  const documents: JobInput<'xml'>['document'][] = [];
  const reader: Reader = {
    ...inline,
    read(job, input, options) {
      if (job === 'xml') documents.push((input as JobInput<'xml'>).document);
      return inline.read(job, input, options);
    },
  };
  return { reader, documents };
}

describe('an answer of a calendar server', () => {
  it.each([
    ['crashes the process that reads it', 'throw new Error("no");'],
    ['is read as something else', 'return { kind: "parts", pieces: ["[1]"] };'],
  ])('that %s is refused', async (_what, does) => {
    const server = await startScriptedCaldav(undefined, STORED);
    const { calendar, call } = accountOn(server.url, { reader: await openedReader(does) });
    await expect(calendar.list({ ...call, deadlineMs: 60_000 }, MARCH)).rejects.toMatchObject({
      name: 'MailError',
      code: 'refused',
    });
  });

  it('is unavailable, and not refused, while nobody can read it', async () => {
    const server = await startScriptedCaldav(undefined, STORED);
    const closed = await openedReader('');
    await closed.close();
    for (const reader of [processReader({ workerFile: '/no/such/worker.mjs' }), closed]) {
      const { calendar, call } = accountOn(server.url, { reader });
      await expect(calendar.list(call, MARCH)).rejects.toMatchObject({
        name: 'MailError',
        code: 'unavailable',
      });
    }
  });

  it('that is still being read when the call ends is not waited for', async () => {
    const server = await startScriptedCaldav(undefined, STORED);
    const { calendar, call } = accountOn(server.url, {
      reader: await openedReader('return new Promise(() => {});'),
    });
    await expect(calendar.list({ ...call, deadlineMs: 500 }, MARCH)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the call ran out of time',
    });
  });

  it('that comes byte by byte goes to the reader in few pieces', async () => {
    const body = `<d:multistatus xmlns:d="DAV:">${' '.repeat(50_000)}</d:multistatus>`;
    const server = await startScriptedCaldav((asked, response) => {
      if (asked.method !== 'REPORT') return 'usual';
      response.writeHead(207, { 'content-type': 'application/xml' });
      for (const byte of Buffer.from(body)) response.write(Buffer.of(byte));
      response.end();
      return 'answered';
    });
    const { reader, documents } = watched();
    const { calendar, call } = accountOn(server.url, { reader });
    expect((await calendar.list(call, MARCH)).events).toEqual([]);
    const [document = []] = documents.filter((one) => Buffer.concat([...one]).length > 50_000);
    expect(Buffer.concat([...document]).toString()).toBe(body);
    expect(document.length).toBeLessThan(8);
  });

  it('is one job of the reader, and an unchanged list has one', async () => {
    const server = await startScriptedCaldav((asked, response) => {
      if (!asked.body.includes('getctag')) return 'usual';
      const tag = '<cs:getctag xmlns:cs="http://calendarserver.org/ns/">a</cs:getctag>';
      multistatus(
        response,
        `<d:response><d:href>/home/calendar/</d:href><d:propstat><d:prop>${tag}</d:prop></d:propstat></d:response>`,
      );
      return 'answered';
    }, STORED);
    const { reader, documents } = watched();
    const { calendar, call } = accountOn(server.url, { reader });
    await calendar.list(call, MARCH);
    expect(documents).toHaveLength(server.asked.filter(({ method }) => method !== 'OPTIONS').length);
    documents.length = 0;
    await calendar.list(call, MARCH);
    expect(documents).toHaveLength(1);
  });
});

describe('a report on a change', () => {
  it.each([
    ['cannot be read', '<multistatus'],
    ['names no status', '<multistatus xmlns="DAV:"><response/></multistatus>'],
  ])('that %s makes the outcome of the change unknown', async (_what, body) => {
    const server = await startScriptedCaldav((asked, response) => {
      if (asked.method !== 'PUT') return 'usual';
      response.writeHead(207, { 'content-type': 'application/xml' }).end(body);
      return 'answered';
    });
    const { calendar, call } = accountOn(server.url);
    const change = { ...PLACE, document: object('a'), ifMatch: null };
    await expect(calendar.write(call, change, async () => true)).rejects.toMatchObject({
      name: 'MailError',
      code: 'outcome_unknown',
    });
  });
});

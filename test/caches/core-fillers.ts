import { randomBytes } from 'node:crypto';
import ICAL from 'ical.js';
import { slowWork } from '../../adapters/process/slow-work.ts';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import { healthReports } from '../../core/accounts/health-reports.ts';
import { createMessageHandles } from '../../core/call/message-handles.ts';
import { readRecorder } from '../../core/call/read-recorder.ts';
import { agreement } from '../../core/ical/zone-agreement.ts';
import { createAddressBudget } from '../../core/keys/address-budget.ts';
import { createClientDocuments } from '../../core/keys/client-documents.ts';
import { boundedCache } from '../../core/memory/bounded-cache.ts';
import { ownCopy } from '../../core/memory/own-copy.ts';
import { createNotices } from '../../core/notices/notices.ts';
import type { NoticeSender } from '../../core/ports/notice-sender.ts';
import type { Ports } from '../../core/ports/ports.ts';
import type { Reader } from '../../core/ports/reader.ts';
import { createKeyring } from '../../core/secrets/keyring.ts';
import { remembering } from '../../core/state/remembering.ts';
import { fenceLookAlikes } from '../../core/text/fence-look-alikes.ts';
import { createBackoff } from '../../core/time/backoff.ts';
import { dateFormat } from '../../core/time/date-format.ts';
import { DAY_MS } from '../../core/time/durations.ts';
import { ianaZone } from '../../core/time/iana-zone.ts';
import { shownPassage } from '../core/provenance/shown-passage.ts';
import { cutOut, type Filler, MB } from './filler.ts';

const NOON = new Date('2026-11-24T12:00:00Z');
const keyring = () => createKeyring([randomBytes(32)], randomBytes);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
/** The id of an owner, chosen by an app around the service. */
const owner = (number: number) => cutOut(`${number} `.padEnd(500, 'o'));
const log = { debug() {}, info() {}, warn() {}, error() {} };

/** The caches of core, by their names in the list. */
export const CORE_FILLERS: Readonly<Record<string, Filler>> = {
  'core/memory/bounded-cache.ts boundedCache.entries': {
    mostBytes: MB,
    rounds: 10,
    open() {
      const cache = boundedCache<string>(MB, ({ length }) => 2 * length);
      return (round) => {
        for (const index of numbers(1000)) {
          const text = cutOut(`${round} ${index}`.padEnd(20));
          cache.set(text, ownCopy(text));
          cache.get(cutOut(text));
        }
      };
    },
  },
  'core/accounts/health-reports.ts healthReports.written': {
    mostBytes: 4 * MB,
    rounds: 5,
    open() {
      const reports = healthReports({
        storage: { reportServer: async () => {} } as unknown as Ports['storage'],
        clock: { now: () => NOON } as Ports['clock'],
        log,
      });
      return async (round) => {
        for (const accountId of numbers(2000)) {
          const account = { ownerId: owner(round), accountId, revision: 1 } as Parameters<
            typeof reports.report
          >[0];
          reports.report(account, 'reading', 'working', null);
        }
        await reports.settled();
      };
    },
  },
  'core/notices/notices.ts createNotices.codesSent': {
    mostBytes: 4 * MB,
    rounds: 5,
    open() {
      const noticeSender: NoticeSender = {
        kinds: ['mail'],
        send: async () => ({ kind: 'sent' }),
      } as unknown as NoticeSender;
      const storage = {
        accounts: async () => [],
        noticeChannels: async () => [],
        addNoticeChannel: async () => 'added',
      };
      const ports = { storage, clock: { now: () => NOON }, random: randomBytes, log, noticeSender };
      const notices = createNotices(ports as unknown as Ports, keyring(), 'https://countersign.example/');
      return async (round) => {
        for (const index of numbers(1000)) {
          await notices.add(owner(1000 * round + index), { kind: 'mail', address: 'ada@example.org' });
        }
      };
    },
  },
  'core/call/message-handles.ts createMessageHandles.ids': {
    mostBytes: 8 * MB,
    rounds: 5,
    open() {
      const handles = messageHandles();
      return async (round) => {
        const rows = numbers(2000).map((uid) => row('INBOX', uid, `${round} ${'s'.repeat(800)}`));
        await handles.idsOf('o', rows);
      };
    },
  },
  'core/call/message-handles.ts createMessageHandles.messages': {
    mostBytes: 16 * MB,
    rounds: 5,
    open() {
      const handles = messageHandles();
      return async (round) => {
        for (const index of numbers(2000)) {
          const path = cutOut(`${round} ${index} ${'f'.repeat(900)}`);
          await handles.idsOf(owner(index), [row(path, 1, null)]);
        }
      };
    },
  },
  'core/secrets/keyring.ts createKeyring.verified': {
    mostBytes: 2 * MB,
    rounds: 5,
    open() {
      const ring = keyring();
      return (round) => {
        for (const index of numbers(990)) {
          const text = cutOut(`${round} ${index}`.padEnd(400));
          // Of a form, which may contain anything between its characters.
          ring.isSigned('form', text, cutOut(`${ring.sign('form', text)}${'='.repeat(500)}`));
        }
      };
    },
  },
  'core/call/read-recorder.ts readRecorder.owners': {
    mostBytes: 2 * MB,
    rounds: 5,
    open() {
      const recordRead = readRecorder(keyring(), inlineReader());
      return async (round) => {
        for (const index of numbers(1000))
          await recordRead('key', [], { ownerId: owner(1000 * round + index) });
      };
    },
  },
  'core/call/read-recorder.ts readRecorder.known': {
    mostBytes: 20 * MB,
    rounds: 7,
    open() {
      // Not measured here: how long it takes to read texts.
      const stated = {
        hosts: [],
        accountNumbers: [],
        amounts: [],
        codes: [],
        mailboxes: [],
        words: '',
      };
      const read = async (_job: string, texts: readonly { text: string }[]) => ({
        kind: 'read',
        value: texts.map(({ text }) => [
          { ...stated, quoting: null, addresses: numbers(5000).map((n) => `${n}@${text}`) },
        ]),
      });
      const recordRead = readRecorder(keyring(), { read } as unknown as Reader);
      const reading = { ownerId: 'o', signal: new AbortController().signal };
      return async (round) => {
        for (const index of numbers(40))
          await recordRead('key', [shownPassage({ text: `b${round}-${index}.example` })], reading);
      };
    },
  },
  'core/call/read-recorder.ts readRecorder.lists': {
    mostBytes: 8 * MB,
    rounds: 6,
    open() {
      const recordRead = readRecorder(keyring(), inlineReader());
      const reading = { ownerId: 'o', signal: new AbortController().signal };
      return async (round) => {
        for (const index of numbers(100)) {
          const row = { isListed: true, title: 't'.repeat(120), text: 'Write to a@b.example.' };
          const rows = numbers(20).map((id) => shownPassage({ ...row, id: `${round}-${index}-${id}` }));
          await recordRead('key', rows, reading);
        }
      };
    },
  },
  'core/keys/client-documents.ts createClientDocuments.kept': {
    mostBytes: MB,
    rounds: 5,
    open() {
      const back = numbers(5).map((n) => `https://app.example/${n}${'b'.repeat(250)}`);
      const fetch = async ({ url }: { url: string }) => ({
        body: Buffer.from(JSON.stringify({ client_id: url, redirect_uris: back })),
        cacheControl: null,
      });
      const documentOf = createClientDocuments({ fetch, close: async () => {} }, { now: () => NOON });
      return async (round) => {
        for (const index of numbers(200))
          await documentOf(cutOut(`https://app.example/${round}-${index}`.padEnd(400, 'u')), '192.0.2.1');
      };
    },
  },
  'core/time/date-format.ts known': {
    mostBytes: 5 * MB,
    rounds: 4,
    open: () => (round) => {
      for (const timeZone of Intl.supportedValuesOf('timeZone').slice(0, 100)) {
        dateFormat(`en-x-${cutOut(`lang${round}`)}${'-private'.repeat(100)}`, { timeZone }).format(NOON);
      }
    },
  },
  'core/state/remembering.ts remembering.values': {
    mostBytes: 2 * MB,
    rounds: 5,
    open() {
      const parse = remembering((text) => JSON.parse(text) as object);
      return (round) => {
        for (const index of numbers(200)) {
          parse(JSON.stringify({ recipients: numbers(100).map((n) => `${n}.r${round}-${index}.example`) }));
        }
      };
    },
  },
  'adapters/process/slow-work.ts slowWork.known': {
    mostBytes: MB / 2,
    rounds: 2,
    open() {
      const work = slowWork();
      return (round) => {
        for (const index of numbers(1000)) work.add(`${round} ${index}`.padEnd(5000), 5000);
      };
    },
  },
  'core/keys/address-budget.ts createAddressBudget.windows': {
    mostBytes: 4 * MB,
    rounds: 4,
    open() {
      const budget = createAddressBudget(10);
      return (round) => {
        for (const index of numbers(10_000))
          budget.take(cutOut(`2001:db8:${round}:${index.toString(16)}::1`), NOON);
      };
    },
  },
  'core/time/backoff.ts createBackoff.failed': {
    mostBytes: 14 * MB,
    rounds: 4,
    open() {
      const backoff = createBackoff(1000, 5000);
      return (round) => {
        for (const index of numbers(5000)) backoff.failed(`${owner(round)} ${index}`, NOON);
      };
    },
  },
  'core/text/fence-look-alikes.ts known': {
    mostBytes: 2 * MB,
    rounds: 4,
    open: () => (round) => {
      for (const index of numbers(2500)) {
        const code = 0x10000 + 2500 * round + index;
        fenceLookAlikes(cutOut(`<<${String.fromCodePoint(code)}`));
      }
    },
  },
  'core/time/iana-zone.ts ianaZone.days': {
    mostBytes: 40 * MB,
    rounds: 20,
    open: () => (round) => {
      const { prototype } = Intl.DateTimeFormat;
      const { formatToParts } = prototype;
      // The runtime takes long, which is not measured here.
      prototype.formatToParts = () => [{ type: 'year', value: '2026' }];
      const zone = ianaZone(cutOut(Intl.supportedValuesOf('timeZone')[round] ?? 'UTC'));
      for (const day of numbers(20_000)) zone.offsetMs(day * DAY_MS);
      prototype.formatToParts = formatToParts;
    },
  },
  'core/ical/zone-agreement.ts known': {
    mostBytes: 40 * MB,
    rounds: 50,
    open: () => (round) => {
      const comment = `COMMENT:${round}${'c'.repeat(7000)}`;
      const zone = ICAL.Component.fromString(
        [
          'BEGIN:VTIMEZONE',
          'TZID:X',
          comment,
          'BEGIN:STANDARD',
          'DTSTART:19700101T000000',
          'TZOFFSETFROM:+0000',
        ]
          .concat(['TZOFFSETTO:+0000', 'END:STANDARD', 'END:VTIMEZONE'])
          .join('\r\n'),
      );
      const agrees = agreement(cutOut('Europe/Imaginary', 2 * MB), { offsetMs: () => 0 }, zone, {
        left: 1_000_000,
      });
      for (const day of numbers(10_000)) agrees(day * DAY_MS);
    },
  },
};

function row(path: string, uid: number, stableId: string | null) {
  return {
    place: { path, uidValidity: '1', uid },
    stableId,
    accountId: 1,
    fingerprint: '0'.repeat(64),
    internalDate: NOON,
    sizeBytes: 1,
  };
}

/** Every message gets a handle of its own. */
function messageHandles() {
  let last = 0;
  const storage = {
    messageHandles: async (_owner: string, { length }: readonly unknown[]) =>
      Array.from({ length }, () => ++last),
  };
  return createMessageHandles(
    keyring(),
    storage as unknown as Ports['storage'],
    {
      now: () => NOON,
    } as Ports['clock'],
  );
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closePorts } from '../../../core/accounts/close-ports.ts';
import { type LimitedPorts, limitedDocuments, limitedPorts } from '../../../core/accounts/limited-ports.ts';
import type { EventDocuments } from '../../../core/ports/calendar.ts';
import type { MailProvider } from '../../../core/ports/mail-provider.ts';
import type { Ports } from '../../../core/ports/ports.ts';
import { GRACE_MS, withinLimit } from '../../../core/work/within-limit.ts';
import { handClock, settled } from '../service/hand-clock.ts';

// A port ends at its limit, whatever its adapter does.

const ms = fc.integer({ min: 1, max: 1000 });

describe('the work of a port', () => {
  it('ends with its answer, or when the grace after its limit or after an abort is over', async () => {
    const times = fc.record({ limitMs: ms, answersMs: fc.option(ms), abortMs: fc.option(ms) });
    await fc.assert(
      fc.asyncProperty(times, async ({ limitMs, answersMs, abortMs }) => {
        const { clock, moveTo, nowMs, timers } = handClock();
        const abort = new AbortController();
        if (abortMs !== null) clock.after(abortMs, () => abort.abort());
        const work = () =>
          new Promise<string>((resolve) => {
            if (answersMs !== null) clock.after(answersMs, () => resolve('answer'));
          });
        let end: { what: string; atMs: number } | undefined;
        void withinLimit(clock, { signal: abort.signal, ms: limitMs }, work, () => 'over').then((what) => {
          end = { what, atMs: nowMs() };
        });
        await moveTo(3000);
        const endsMs = Math.min(limitMs, abortMs ?? limitMs) + GRACE_MS;
        // At the same moment, either may be first.
        if (answersMs !== null && answersMs === endsMs) expect(end?.atMs).toBe(endsMs);
        else if (answersMs !== null && answersMs < endsMs)
          expect(end).toEqual({ what: 'answer', atMs: answersMs });
        else expect(end).toEqual({ what: 'over', atMs: endsMs });
        expect(timers.size).toBe(0);
      }),
    );
  });

  it('has its time stopped while core works for it, and learns of an abort afterwards', async () => {
    await fc.assert(
      fc.asyncProperty(ms, ms, fc.option(ms), async (limitMs, pauseMs, abortMs) => {
        const { clock, moveTo, nowMs } = handClock();
        const abort = new AbortController();
        if (abortMs !== null) clock.after(abortMs, () => abort.abort());
        let endedMs: number | undefined;
        void withinLimit(
          clock,
          { signal: abort.signal, ms: limitMs },
          (pause) => {
            clock.after(pauseMs, pause());
            return new Promise<void>(() => {});
          },
          () => {
            endedMs = nowMs();
          },
        );
        await moveTo(4000);
        const abortedMs = Math.max(abortMs ?? Number.POSITIVE_INFINITY, pauseMs);
        expect(endedMs).toBe(Math.min(pauseMs + limitMs, abortedMs) + GRACE_MS);
      }),
    );
  });

  it('cannot begin anything of core after its end', async () => {
    const { clock, moveTo } = handClock();
    let begin = (): unknown => undefined;
    const ended = withinLimit(
      clock,
      { ms: 10 },
      (pause) => {
        begin = pause;
        return new Promise<string>(() => {});
      },
      () => 'over',
    );
    await moveTo(1000);
    expect(await ended).toBe('over');
    expect(begin).toThrow('went on after the end');
  });

  it('adds one listener to its signal, however many calls it ends', async () => {
    const { clock, moveTo } = handClock();
    const abort = new AbortController();
    let added = 0;
    const { addEventListener } = abort.signal;
    abort.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      added += 1;
      return Reflect.apply(addEventListener, abort.signal, args);
    };
    const calls = Array.from({ length: 30 }, () =>
      withinLimit(
        clock,
        { signal: abort.signal, ms: 10_000 },
        () => new Promise<string>(() => {}),
        () => 'over',
      ),
    );
    abort.abort();
    await moveTo(GRACE_MS);
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['over']));
    expect(added).toBe(1);
  });
});

const never = () => new Promise<never>(() => {});
const SIGNAL = new AbortController().signal;

describe('a port that never answers', () => {
  const { clock, moveTo, nowMs } = handClock();
  const provider: MailProvider = {
    ...{ id: 'example', name: 'Example', domains: [], offersDevice: true, settingsFor: () => ({}) },
    ...{ authorizationUrl: never, redeem: never, refresh: never, startDevice: never, pollDevice: never },
    close: never,
  };
  const silent: Required<LimitedPorts> = {
    reader: { read: never, close: never },
    attachmentText: { extract: never, close: never },
    documentSource: { fetch: never, close: never },
    webhookSender: { post: never, close: never },
    noticeSender: { kinds: ['mail'], send: never, close: never },
    mailProviders: [provider],
  };
  const { reader, attachmentText, documentSource, webhookSender, noticeSender, mailProviders } = limitedPorts(
    {
      ...silent,
      clock,
    },
  );
  const documents: EventDocuments = { read: never, create: never, change: never, without: never };
  const limited = limitedDocuments(documents, clock);
  const writing = { timezone: 'UTC', ownerId: 'o', signal: SIGNAL, stamp: new Date(0) };
  const key = { uid: 'u', recurrenceId: null };
  const event = { ...key } as never;
  const [example] = mailProviders ?? [];
  const request = { timeLimitMs: 5000, signal: SIGNAL };
  const post = { ...request, url: '', headers: {}, body: new Uint8Array() };
  const file = { bytes: new Uint8Array(), name: '', mime: '', signal: SIGNAL, ownerId: 'o' };
  const notice = { kind: 'test', at: new Date(0), page: '' } as const;
  const mail = { kind: 'mail', address: 'ada@example.org' } as never;
  const grant = {
    redirectUri: '',
    state: '',
    codeVerifier: '',
    email: '',
    parameters: new URLSearchParams(),
  };
  const late = { code: 'temporarily_unavailable' };
  const unavailable = { code: 'unavailable' };

  it.each<[string, () => Promise<unknown> | undefined, unknown]>([
    ['reader', () => reader.read('text', {} as never, { ownerId: 'o', signal: SIGNAL }), late],
    ['attachment text', () => attachmentText?.extract(file), late],
    ['documents, read', () => limited.read('', key, writing), late],
    ['documents, create', () => limited.create(event, writing), late],
    ['documents, change', () => limited.change('', { before: event, after: event }, writing), late],
    ['documents, without', () => limited.without('', key, writing), late],
    ['document source', () => documentSource?.fetch({ url: '', maxBytes: 1, timeLimitMs: 5000 }), undefined],
    ['webhooks', () => webhookSender?.post(post), { kind: 'unanswered' }],
    ['notices', () => noticeSender?.send(mail, notice, request), { kind: 'failed' }],
    ['provider, address', () => example?.authorizationUrl(grant), unavailable],
    ['provider, redeem', () => example?.redeem(grant), unavailable],
    ['provider, refresh', () => example?.refresh(''), unavailable],
    ['provider, device', () => example?.startDevice(), unavailable],
    ['provider, poll', () => example?.pollDevice(''), unavailable],
  ])('fails as such a port fails: %s', async (_name, use, end) => {
    let outcome: unknown = 'none';
    void use()?.then(
      (answer) => {
        outcome = answer;
      },
      (error: unknown) => {
        outcome = error;
      },
    );
    await moveTo(nowMs() + 60_000);
    await settled();
    if (end === undefined) expect(outcome).toBeUndefined();
    else expect(outcome).toMatchObject(end as object);
  });

  it('does not keep a stop from closing the others', async () => {
    const warned: unknown[] = [];
    const storage = { close: async () => void warned.push('storage closed') };
    const log = { info() {}, error() {}, warn: (_text: string, fields: unknown) => void warned.push(fields) };
    const hand = handClock();
    const others = { ...silent, mail: { close: never }, calendar: { close: never } };
    const all = { ...others, storage, clock: hand.clock, log } as unknown as Ports;
    const closed = closePorts(all);
    await hand.moveTo(60_000);
    await closed;
    const open = ['webhookSender', 'noticeSender', 'documentSource', 'mail', 'example'];
    const ports = [...open, 'calendar', 'reader', 'attachmentText'].map((port) => ({ port }));
    expect(warned).toEqual([...ports, 'storage closed']);
  });

  it('closes a provider whose id is the name of a port, and that port', async () => {
    const closed: string[] = [];
    const closing = (name: string) => ({ close: async () => void closed.push(name) });
    const [mail, reader, storage] = [closing('mail'), closing('reader'), closing('storage')];
    const mailProviders = ['mail', 'storage'].map((id) => ({ id, ...closing(`provider ${id}`) }));
    const all = { mail, reader, storage, mailProviders, clock: handClock().clock } as unknown as Ports;
    await closePorts(all);
    expect(closed).toEqual(['mail', 'provider mail', 'provider storage', 'reader', 'storage']);
  });
});

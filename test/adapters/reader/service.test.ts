import { describe, expect, it, onTestFinished } from 'vitest';
import { processPool, USUAL_BOUNDS } from '../../../adapters/process/process-pool.ts';
import { poolReader } from '../../../adapters/reader/pool-reader.ts';
import { firstId, idsIn, letter, openScene, resultOf } from '../../core/scene.ts';
import { casesOf } from '../../only-long.ts';
import { processThatWorks } from '../process/process-that.ts';

const READING = {
  body: { text: 'the text', chars: 8 },
  attachments: [],
  protection: { isEncrypted: false, isSigned: false },
  headers: { from: [], replyTo: [], to: [], cc: [], subject: '', messageId: null, references: [] },
};

/** A program that reads messages, and runs the test's code for messages that contain the word. */
function programThat(does: string) {
  return processThatWorks(
    `if (Buffer.from(job.input.source.bytes).includes('hostile')) { ${does} }
     return ${JSON.stringify(READING)};`,
  );
}

/** Less than usual: on a busy machine, a process may take several times as long by the clock, and the call has its own limit. */
const MAX_CPU_MS = 3000;

/** More than is read in place. */
const html = (word: string) => ({ html: `<!-- ${'x'.repeat(20_000)} --><p>${word}</p>`, text: word });

async function open(does: string) {
  const reader = poolReader(processPool(await programThat(does), { ...USUAL_BOUNDS, maxCpuMs: MAX_CPU_MS }));
  const scene = await openScene({
    reader,
    samples: () => [letter('bad', html('hostile')), letter('good', { ...html('kind'), minutesAgo: 90 })],
  });
  onTestFinished(() => scene.service.stop());
  const [key, other] = [await scene.addKey('full'), await scene.addKey('full')];
  const [bad, good] = await idsIn(key);
  const body = async (id: string | undefined) =>
    String(resultOf(await key.call('get_email', { id })).body).split('\n')[1];
  return { scene, key, other, bad, good, body };
}

describe('a service whose reader', () => {
  it('hangs on a message answers other calls meanwhile, then reports what went wrong', async () => {
    const { key, other, bad, good, body } = await open('for (;;);');
    let isRead = false;
    const reading = body(bad).finally(() => {
      isRead = true;
    });
    expect(await firstId(other)).toBe(bad);
    expect(String(resultOf(await other.call('get_email', { id: good })).body)).toContain('the text');
    expect(isRead).toBe(false);
    expect(await reading).toBe('[The text of this message cannot be shown: it takes too long to read.]');
    expect(await body(good)).toBe('the text');
    expect((await key.call('archive_email', { id: bad })).status).toBe('pending_approval');
  });

  const faults = [
    [
      'fills its heap',
      'const all = []; for (;;) all.push(new Array(100_000).fill(all));',
      'it takes too much memory to read',
    ],
    ['fails', 'throw new Error("no");', 'reading it failed'],
  ] as const;
  it.each(casesOf('reader: faults', faults, ([what]) => what === 'fails'))(
    '%s on a message says so, and reads the next',
    async (_name, does, says) => {
      const { bad, good, body } = await open(does);
      expect(await body(bad)).toBe(`[The text of this message cannot be shown: ${says}.]`);
      expect(await body(good)).toBe('the text');
      expect(await body(bad)).toBe(`[The text of this message cannot be shown: ${says}.]`);
    },
  );
});

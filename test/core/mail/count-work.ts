import { Session } from 'node:inspector/promises';
import { parseShortMessage } from '../../../core/mail/parse.ts';
import { htmlPage } from '../../soak/html-grammar.ts';
import { dice } from '../../soak/mutation.ts';
import { SHAPES } from './short-html-shapes.ts';

/**
 * Prints, as JSON, how many blocks of code run while the short way reads a message, for each of many: V8 counts them,
 * so a busy machine counts the same. Its counters belong to the whole process, which is therefore one of its own.
 */
const HTML_BYTES = 16_000;
const FUZZED = 150;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

async function blocksRun(html: string): Promise<{ blocks: number; isRead: boolean }> {
  const message = Buffer.from(`Content-Type: text/html; charset=utf-8\r\n\r\n${html.slice(0, HTML_BYTES)}`);
  await session.post('Profiler.takePreciseCoverage');
  const read = parseShortMessage(message);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  let blocks = 0;
  for (const { functions } of result)
    for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
  return { blocks, isRead: read !== undefined };
}

const counted: Record<string, { blocks: number; isRead: boolean }> = {};
for (const [name, make] of Object.entries(SHAPES)) counted[name] = await blocksRun(make(HTML_BYTES));
for (let seed = 0; seed < FUZZED; seed++)
  counted[`page ${seed}`] = await blocksRun(htmlPage(dice(seed), 1 + (seed % 4)));
counted['a letter'] = await blocksRun(
  `<div dir="ltr"><p style="margin:0">${'A few words. '.repeat(400)}</p></div>`,
);
session.disconnect();
console.log(JSON.stringify(counted));

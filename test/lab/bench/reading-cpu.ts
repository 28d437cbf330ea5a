import { readFile } from 'node:fs/promises';
import process from 'node:process';
import * as z from 'zod';
import { limitByteArrays } from '../../../adapters/extract/byte-array-limit.ts';
import { documentText } from '../../../adapters/extract/document-text.ts';
import { answerParent } from './answer-parent.ts';
import { type CpuAnswer, cpuQuestion } from './reading-throughput.ts';

/** Reads documents as the reader's process does, and measures its CPU time. */

limitByteArrays(32 * 1024 * 1024);

answerParent(
  async (asked): Promise<CpuAnswer> => {
    const { files, rounds } = cpuQuestion.parse(asked);
    const documents = await Promise.all(files.map(async (file) => new Uint8Array(await readFile(file))));
    const read = async () => {
      for (const [at, bytes] of documents.entries()) {
        // pdf.js detaches what it reads.
        await documentText(new Uint8Array(bytes), { name: files[at] ?? '', mime: '' });
      }
    };
    // Code that runs for the first time is compiled.
    await read();
    const start = process.cpuUsage();
    for (let round = 0; round < rounds; round++) await read();
    const { user, system } = process.cpuUsage(start);
    return z.number().parse((user + system) / 1_000_000 / rounds);
  },
  () => process.exit(0),
);

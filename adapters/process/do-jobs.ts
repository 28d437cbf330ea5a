import process from 'node:process';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { READY } from './ready.ts';

const Message = z.object({ job: z.unknown() });

/**
 * The largest job is 36 MB, and its text is held several times while it is read; the heap is bounded besides.
 * Memory beyond this is a stranger's doing.
 */
const MAX_RESIDENT_BYTES = 768 * 1024 * 1024;
const LOOK_EVERY_MS = 20;

/**
 * Makes this process one that `boundedProcess` runs: it does the jobs that it is sent, one at a time. An error ends
 * the process, and the parent calls the job broken.
 */
export function doJobs(work: (job: unknown) => Promise<unknown>): void {
  watchMemory();
  const answer = async (message: unknown) => tell(await work(Message.parse(message).job));
  // Nothing catches what it rejects with: that is what ends the process.
  process.on('message', (message) => void answer(message));
  process.once('disconnect', () => process.exit());
  tell(READY);
}

function tell(message: unknown): void {
  if (process.send === undefined) throw new Error('This file runs as a child process.');
  process.send(message);
}

/** The heap's limit does not count array buffers. A thread sees them also while a job keeps this one busy. */
function watchMemory(): void {
  const program = `
    const { maxBytes, everyMs } = require('node:worker_threads').workerData;
    setInterval(() => {
      if (process.memoryUsage.rss() > maxBytes) process.kill(process.pid, 'SIGKILL');
    }, everyMs);`;
  const workerData = { maxBytes: MAX_RESIDENT_BYTES, everyMs: LOOK_EVERY_MS };
  new Worker(program, { eval: true, workerData }).unref();
}

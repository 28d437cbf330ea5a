import process from 'node:process';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { READY } from './ready.ts';

const Message = z.object({ job: z.unknown() });

/**
 * The largest job is 36 MB, and reading it holds several copies of its text; the heap has its own limit. Only malicious
 * input needs more than this.
 */
const MAX_RESIDENT_BYTES = 768 * 1024 * 1024;
const CHECK_EVERY_MS = 20;

/**
 * The main loop of a process that `boundedProcess` runs: does the jobs it receives, one at a time. An error ends the
 * process, and the parent reports the job as broken.
 */
export function doJobs(work: (job: unknown) => Promise<unknown>): void {
  watchMemory();
  const answer = async (message: unknown) => sendToParent(await work(Message.parse(message).job));
  // A rejection stays uncaught on purpose: it ends the process.
  process.on('message', (message) => void answer(message));
  process.once('disconnect', () => process.exit());
  sendToParent(READY);
}

function sendToParent(message: unknown): void {
  if (process.send === undefined) throw new Error('This file runs as a child process.');
  process.send(message);
}

/** The heap limit does not count array buffers. A thread can check even while a job blocks the main thread. */
function watchMemory(): void {
  const program = `
    const { maxBytes, everyMs } = require('node:worker_threads').workerData;
    setInterval(() => {
      if (process.memoryUsage.rss() > maxBytes) process.kill(process.pid, 'SIGKILL');
    }, everyMs);`;
  const workerData = { maxBytes: MAX_RESIDENT_BYTES, everyMs: CHECK_EVERY_MS };
  new Worker(program, { eval: true, workerData }).unref();
}

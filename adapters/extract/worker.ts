import { parentPort } from 'node:worker_threads';
import { limitByteArrays } from './byte-array-limit.ts';
import { documentText } from './document-text.ts';
import { Job, READY } from './job.ts';

/** The thread in which documents of strangers are read, one at a time. An error ends it, and is told as `broken`. */

if (parentPort === null) throw new Error('This file runs as a worker thread.');
const port = parentPort;

/** More than the largest document, and a power of two: the last doubling that is let through. */
const MAX_ARRAY_BYTES = 32 * 1024 * 1024;
limitByteArrays(MAX_ARRAY_BYTES);

async function answer(message: unknown): Promise<void> {
  const { bytes, name, mime } = Job.parse(message);
  port.postMessage(await documentText(bytes, { name, mime }));
}

// Nothing catches what it rejects with: that is what ends the thread.
port.on('message', (message) => void answer(message));
port.postMessage(READY);

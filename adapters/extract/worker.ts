import process from 'node:process';
import { limitByteArrays } from './byte-array-limit.ts';
import { documentText } from './document-text.ts';
import { Job, READY } from './job.ts';

/** The process in which documents of strangers are read, one at a time. An error ends it, and is told as `broken`. */

/** More than the largest document, and a power of two: the last doubling that is let through. */
const MAX_ARRAY_BYTES = 32 * 1024 * 1024;
limitByteArrays(MAX_ARRAY_BYTES);

function tell(message: unknown): void {
  if (process.send === undefined) throw new Error('This file runs as a child process.');
  process.send(message);
}

async function answer(message: unknown): Promise<void> {
  const { bytes, name, mime } = Job.parse(message);
  tell(await documentText(bytes, { name, mime }));
}

// Nothing catches what it rejects with: that is what ends the process.
process.on('message', (message) => void answer(message));
process.once('disconnect', () => process.exit());
tell(READY);

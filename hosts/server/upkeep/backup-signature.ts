import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import type { Signer } from '../../../core/secrets/keyring.ts';

/**
 * The last line of a backup: its signature. SQLite and pg_restore ignore what follows their own data. Neither of them
 * notices every changed byte.
 */
const START = '\ncountersign backup ';
const SIGNATURE_CHARS = 48;
const LINE_BYTES = START.length + SIGNATURE_CHARS + 1;
const PURPOSE = 'backup';

/** Signs a complete backup, at its end. */
export async function signBackup(file: string, signer: Signer): Promise<void> {
  const signature = signer.sign(PURPOSE, await digestOf(file, statSync(file).size));
  appendFileSync(file, `${START}${signature}\n`);
}

/**
 * Checks the signature of a backup.
 * @returns the number of bytes before it
 * @throws Error with a message for the user if the file is not as `signBackup` left it
 */
export async function signedBytes(file: string, signer: Signer): Promise<number> {
  const bytes = Math.max(0, statSync(file).size - LINE_BYTES);
  const line = textFrom(file, bytes);
  const signature = line.startsWith(START) ? line.slice(START.length, -1) : null;
  if (signature === null || !signer.isSigned(PURPOSE, await digestOf(file, bytes), signature)) {
    throw new Error(
      'it is not as countersign backup wrote it: a part of it is missing or was changed, or the secret key that signed it ' +
        'is missing. Use another backup.',
    );
  }
  return bytes;
}

async function digestOf(file: string, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  if (bytes > 0) {
    for await (const chunk of createReadStream(file, { end: bytes - 1 })) hash.update(chunk as Uint8Array);
  }
  return hash.digest('hex');
}

function textFrom(file: string, position: number): string {
  const line = Buffer.alloc(LINE_BYTES);
  const opened = openSync(file, 'r');
  try {
    return line.toString('latin1', 0, readSync(opened, line, { position }));
  } finally {
    closeSync(opened);
  }
}

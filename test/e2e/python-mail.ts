import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import * as z from 'zod';
import { run } from '../servers/process-group.ts';

export const pythonIsMissing = spawnSync('python3', ['--version']).status !== 0;

const said = z.strictObject({
  messageId: z.string(),
  from: z.array(z.string()),
  to: z.array(z.string()),
  subject: z.string(),
  type: z.literal('text/plain'),
  charset: z.literal('utf-8'),
  body: z.base64(),
});

export interface PythonMail extends Omit<z.infer<typeof said>, 'body' | 'type' | 'charset'> {
  /** Lines end in LF. */
  readonly text: string;
}

/** Reads messages with Python's `email`, an independent parser. */
export async function readWithPython(raws: readonly string[]): Promise<PythonMail[]> {
  const printed = await run('python3', [join(import.meta.dirname, 'read-mail.py')], JSON.stringify(raws));
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return z
    .array(said)
    .parse(JSON.parse(printed))
    .map(({ body, type, charset, ...headers }) => ({
      ...headers,
      text: decoder.decode(Buffer.from(body, 'base64')).replaceAll('\r\n', '\n'),
    }));
}

import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Writable } from 'node:stream';

/** What a command reads and writes. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  /** The outcome of the command: on stdout, as one line of JSON or as text for people. */
  print(result: Readonly<Record<string, unknown>>, text: string): void;
  /** Log lines go to stderr. */
  log(line: string): void;
  /** A secret from stdin: the line that is typed, unseen, or all that is piped in but for its last line break. */
  secret(name: string): Promise<string>;
}

interface Stdin extends Readable {
  readonly isTTY?: boolean;
}

export function processTerminal(isJson: boolean): Terminal {
  return {
    env: process.env,
    folder: process.cwd(),
    print: (result, text) => process.stdout.write(`${isJson ? JSON.stringify(result) : text}\n`),
    log: (line) => process.stderr.write(line),
    secret: (name) => (process.stdin.isTTY ? typedLine(process.stdin, name) : wholeText(process.stdin)),
  };
}

async function wholeText(stdin: Stdin): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)).replace(/\r?\n$/, '');
}

function typedLine(stdin: Stdin, name: string): Promise<string> {
  process.stderr.write(`${name}: `);
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: unseen, terminal: true });
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => {
      process.stderr.write('\n');
      reject(new Error('Nothing was entered.'));
    });
  });
}

import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

/** What a command reads and writes. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  /** The outcome of the command: on stdout, as one line of JSON or as text for people. */
  print(result: Readonly<Record<string, unknown>>, text: string): void;
  /** Log lines go to stderr. */
  log(line: string): void;
  /** For people, beside the outcome: on stderr. */
  tell(text: string): void;
  /** Asks yes or no; undefined where nobody sits at the terminal to be asked. */
  confirm(question: string): Promise<boolean> | undefined;
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
    tell: (text) => process.stderr.write(`${text}\n`),
    confirm: (question) => (process.stdin.isTTY ? isYes(process.stdin, question) : undefined),
    secret: (name) =>
      process.stdin.isTTY ? typedLine(process.stdin, `${name}: `, unseen()) : wholeText(process.stdin),
  };
}

async function wholeText(stdin: Stdin): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)).replace(/\r?\n$/, '');
}

async function isYes(stdin: Stdin, question: string): Promise<boolean> {
  const answer = await typedLine(stdin, `${question} [y/N] `, process.stderr);
  return /^y(es)?$/i.test(answer.trim());
}

/** Shows nothing of what is typed. */
function unseen(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** @param echo  where what is typed is shown */
function typedLine(stdin: Stdin, prompt: string, echo: Writable): Promise<string> {
  const lines = createInterface({ input: stdin, output: echo, terminal: true });
  // Only now: from here on the terminal itself no longer shows what is typed.
  process.stderr.write(prompt);
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

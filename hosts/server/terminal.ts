import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

/** The input and output of a command. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  /** Whether stdout is a terminal that shows text to a person. Otherwise it may be a log. */
  readonly isWatched: boolean;
  /** Prints the result to stdout, as one line of JSON or as text. */
  print(result: Readonly<Record<string, unknown>>, text: string): void;
  /** Writes a log line to stderr. */
  log(line: string): void;
  /** Prints text for the user to stderr, apart from the result. */
  tell(text: string): void;
  /** Asks a yes-or-no question; undefined if stdin is not a terminal. */
  confirm(question: string): Promise<boolean> | undefined;
  /** Reads a secret from stdin: a line typed without echo, or everything piped in, without the last line break. */
  secret(name: string): Promise<string>;
}

interface Stdin extends Readable {
  readonly isTTY?: boolean;
}

export function processTerminal(isJson: boolean): Terminal {
  return {
    env: process.env,
    folder: process.cwd(),
    isWatched: !isJson && process.stdout.isTTY,
    print: (result, text) => process.stdout.write(`${isJson ? JSON.stringify(result) : text}\n`),
    log: (line) => process.stderr.write(line),
    tell: (text) => process.stderr.write(`${text}\n`),
    confirm: (question) => (process.stdin.isTTY ? isYes(process.stdin, question) : undefined),
    secret: (name) =>
      process.stdin.isTTY ? typedLine(process.stdin, `${name}: `, noEcho()) : wholeText(process.stdin),
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

/** Hides what is typed. */
function noEcho(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** @param echo  where typed characters are shown */
function typedLine(stdin: Stdin, prompt: string, echo: Writable): Promise<string> {
  const lines = createInterface({ input: stdin, output: echo, terminal: true });
  // Print the prompt only now, when the terminal no longer echoes on its own.
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

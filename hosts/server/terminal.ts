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

/** What a command has of its process. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** The working folder. */
  readonly folder: string;
  readonly stdin: Stdin;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
}

/** @param isJson  whether results are printed as JSON */
export function terminalIn({ env, folder, stdin, stdout, stderr }: Surroundings, isJson: boolean): Terminal {
  return {
    env,
    folder,
    isWatched: !isJson && stdout.isTTY === true,
    print: (result, text) => stdout.write(`${isJson ? JSON.stringify(result) : text}\n`),
    log: (line) => stderr.write(line),
    tell: (text) => stderr.write(`${text}\n`),
    confirm: (question) => (stdin.isTTY === true ? isYes(stdin, question, stderr) : undefined),
    secret: (name) =>
      stdin.isTTY === true ? typedLine(stdin, `${name}: `, noEcho(), stderr) : wholeText(stdin),
  };
}

async function wholeText(stdin: Stdin): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)).replace(/\r?\n$/, '');
}

async function isYes(stdin: Stdin, question: string, stderr: Writable): Promise<boolean> {
  const answer = await typedLine(stdin, `${question} [y/N] `, stderr, stderr);
  return /^y(es)?$/i.test(answer.trim());
}

/** Hides what is typed. */
function noEcho(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** @param echo  where typed characters are shown */
function typedLine(stdin: Stdin, prompt: string, echo: Writable, stderr: Writable): Promise<string> {
  const lines = createInterface({ input: stdin, output: echo, terminal: true });
  // Print the prompt only now, when the terminal no longer echoes on its own.
  stderr.write(prompt);
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => {
      stderr.write('\n');
      reject(new Error('Nothing was entered.'));
    });
  });
}

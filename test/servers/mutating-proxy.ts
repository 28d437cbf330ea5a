import type net from 'node:net';
import { startPairs } from './pairs.ts';

/** A command of a client as it was sent, with its literals, in latin1. */
export interface SentCommand {
  /** `FETCH`, `UID STORE`, `RCPT`; `greeting` for what the server says first; `BODY` for a message up to its final dot. */
  readonly name: string;
  /** Empty in SMTP. */
  readonly tag: string;
  readonly text: string;
}

/** What happens to one command, or to its answer. */
export interface Mutation {
  /** The command that it is about. */
  readonly command: string;
  /** Answers instead of the server, which never sees the command. */
  readonly instead?: (command: SentCommand) => readonly string[];
  /** Rewrites the answer: its responses, or the lines of a reply, of which the last one completes it. */
  readonly answer?: (responses: readonly string[], command: SentCommand) => readonly string[];
  /** The connection ends after the answer. */
  readonly ends?: boolean;
}

export interface MutatingProxy {
  readonly port: number;
  /** The names of the commands since the last call of `mutate`. */
  readonly commands: ReadonlySet<string>;
  /** How many answers to its command have passed the mutation, changed or not. */
  readonly passed: number;
  /** How many answers the mutation has changed. */
  readonly changed: number;
  /** From now on, also on open connections. Undefined: everything passes unchanged. */
  mutate(mutation: Mutation | undefined): void;
  stop(): Promise<void>;
}

/** Starts a proxy on the loopback interface that can change the answers of a server. It offers no STARTTLS. */
export async function startMutatingProxy(protocol: 'imap' | 'smtp', toPort: number): Promise<MutatingProxy> {
  let mutation: Mutation | undefined;
  let commands = new Set<string>();
  let passed = 0;
  let changed = 0;
  const { port, stop } = await startPairs(toPort, relay);

  function relay(client: net.Socket, upstream: net.Socket): void {
    const pending: SentCommand[] = [{ name: 'greeting', tag: '*', text: '' }];
    let collected: string[] = [];
    let sendsBody = false;
    const write = (socket: net.Socket, text: string) => socket.write(Buffer.from(text, 'latin1'));

    function reply(responses: readonly string[], ends: boolean | undefined): void {
      for (const response of responses) write(client, response);
      if (ends === true) {
        client.end();
        upstream.destroy();
      }
    }

    const fromClient = units(
      () => (sendsBody ? BODY : protocol === 'imap' ? IMAP : LINES),
      (text) => {
        const command = commandOf(protocol, text, sendsBody);
        sendsBody = false;
        if (command === undefined) return void write(upstream, text);
        commands.add(command.name);
        if (mutation?.instead !== undefined && mutation.command === command.name) {
          passed += 1;
          changed += 1;
          return reply(mutation.instead(command), mutation.ends);
        }
        pending.push(command);
        write(upstream, text);
      },
      // The client waits for leave to send its literal.
      (text) => {
        const command = commandOf(protocol, text, false);
        const isAnswered =
          command !== undefined && mutation?.instead !== undefined && mutation.command === command.name;
        if (!isAnswered) write(client, '+ go on\r\n');
        return isAnswered;
      },
    );
    const fromServer = units(
      () => (protocol === 'imap' ? IMAP : LINES),
      (text) => {
        const [command] = pending;
        if (command === undefined || (protocol === 'imap' && text.startsWith('+'))) {
          // The leave to send a literal was given already.
          if (command?.name !== 'APPEND') write(client, text);
          return;
        }
        const completes = isCompletion(protocol, text, command);
        const shown = text.replace(/ STARTTLS\b/i, '');
        if (protocol === 'smtp' && /^250[- ]STARTTLS/i.test(text)) return;
        if (completes) pending.shift();
        if (mutation?.answer === undefined || mutation.command !== command.name) {
          if (command.name === 'DATA' && text.startsWith('354')) sendsBody = true;
          return void write(client, shown);
        }
        collected.push(shown);
        if (!completes) return;
        const responses = mutation.answer(collected, command);
        passed += 1;
        if (responses.join('') !== collected.join('')) changed += 1;
        collected = [];
        if (command.name === 'DATA' && responses.at(-1)?.startsWith('354') === true) sendsBody = true;
        reply(responses, mutation.ends);
      },
    );
    client.on('data', (bytes: Buffer) => fromClient(bytes.toString('latin1')));
    upstream.on('data', (bytes: Buffer) => fromServer(bytes.toString('latin1')));
  }

  return {
    port,
    get commands() {
      return commands;
    },
    get passed() {
      return passed;
    },
    get changed() {
      return changed;
    },
    mutate(next) {
      mutation = next;
      commands = new Set();
      passed = 0;
      changed = 0;
    },
    stop,
  };
}

/** Where a unit ends: `length` is that of what is complete, 0 if something is missing; `waits` if a literal needs leave. */
type Ending = (text: string, given: number) => { readonly length: number; readonly waits: boolean };

const LINES: Ending = (text) => ({ length: text.indexOf('\n') + 1, waits: false });

const BODY: Ending = (text) => {
  const end = text.indexOf('\r\n.\r\n');
  return { length: end < 0 ? 0 : end + 5, waits: false };
};

/** A line with its literals. @param given  up to where leave was given to send them */
const IMAP: Ending = (text, given) => {
  let at = 0;
  for (;;) {
    const end = text.indexOf('\n', at) + 1;
    if (end === 0) return { length: 0, waits: false };
    const literal = /\{(\d+)(\+?)\}\r\n$/.exec(text.slice(at, end));
    if (literal === null) return { length: end, waits: false };
    at = end + Number(literal[1]);
    if (text.length < at) return { length: 0, waits: literal[2] === '' && end > given };
  }
};

/**
 * Cuts a stream into units.
 * @param onWait  a literal needs leave. Returns whether the command was answered instead, and so has ended
 */
function units(
  ending: () => Ending,
  take: (unit: string) => void,
  onWait: (begun: string) => boolean = () => false,
): (text: string) => void {
  let rest = '';
  let given = 0;
  return (text) => {
    rest += text;
    for (;;) {
      const { length, waits } = ending()(rest, given);
      if (waits) {
        given = rest.length;
        if (!onWait(rest)) return;
      }
      if (length === 0 && !waits) return;
      const unit = rest.slice(0, waits ? rest.length : length);
      rest = rest.slice(unit.length);
      given = 0;
      take(unit);
    }
  };
}

/** Undefined for what belongs to the command before, such as the end of IDLE. */
function commandOf(protocol: 'imap' | 'smtp', text: string, isBody: boolean): SentCommand | undefined {
  if (isBody) return { name: 'BODY', tag: '', text };
  if (protocol === 'smtp') {
    const name = /^[A-Za-z]{4,8}(?= |\r)/.exec(text)?.[0].toUpperCase() ?? 'AUTH-ANSWER';
    return { name, tag: '', text };
  }
  const [, tag = '', name] = /^(\w+) ((?:UID )?[A-Za-z]+)/i.exec(text) ?? [];
  return name === undefined ? undefined : { name: name.toUpperCase(), tag, text };
}

function isCompletion(protocol: 'imap' | 'smtp', text: string, { name, tag }: SentCommand): boolean {
  if (protocol === 'smtp') return /^\d{3}(?: |\r)/.test(text);
  return name === 'greeting' || text.startsWith(`${tag} `);
}

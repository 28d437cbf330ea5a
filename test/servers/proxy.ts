import type net from 'node:net';
import { startPairs } from './pairs.ts';

/**
 * The fault to inject at a command or its reply:
 * `cut before`: the server never sees the command; `cut unanswered`: it has executed it, but the reply never arrives;
 * `cut answered`: right after the reply; `cut begun`: at the first bytes of a message's body;
 * `hang`: from this command on nothing passes, and the connection stays open;
 * `delay`: the reply comes `delayMs` later;
 * `refuse`: the server never sees the command, and the reply is `NO`.
 */
export type Fault = {
  /** Counted from 1 since the call of `script`, over all connections; 0 is the next greeting. */
  readonly at: number;
} & (
  | { readonly does: 'cut before' | 'cut unanswered' | 'cut answered' | 'cut begun' | 'hang' }
  | { readonly does: 'delay'; readonly delayMs: number }
  | { readonly does: 'refuse' }
);

/** How to make the server look poorer than it is, permanently. */
export interface Disguise {
  /** IMAP: rewrites each line of a reply. */
  readonly reply?: (line: string) => string;
  /** IMAP: returns the `NO` for a command that the server must not see; undefined lets it pass. */
  readonly refusal?: (line: string) => string | undefined;
}

/** Sits in front of a server and can break a connection at any point. */
export interface MailProxy {
  readonly port: number;
  /** The commands since the call of `script`, as `EHLO`, `BODY` (a message up to its final dot), `UID STORE`. */
  readonly commands: readonly string[];
  /** Restarts the count of commands. The fault happens once. @returns a promise that settles when it has happened */
  script(fault?: Fault): Promise<void>;
  /** Ends every connection. @returns whether there was one */
  drop(): boolean;
  stop(): Promise<void>;
}

/** Starts a proxy on the loopback interface. It forwards what follows STARTTLS without reading it. */
export async function startProxy(
  protocol: 'imap' | 'smtp',
  toPort: number,
  { reply = (line) => line, refusal = () => undefined }: Disguise = {},
): Promise<MailProxy> {
  let fault: Fault | undefined;
  let happened = () => {};
  let commands: string[] = [];
  const { port, drop, stop } = await startPairs(toPort, relay);

  function takeFault(): void {
    fault = undefined;
    happened();
  }

  function relay(client: net.Socket, upstream: net.Socket): void {
    /** Numbers of the commands without a reply so far; the greeting is the reply to 0. */
    const unanswered: { number: number; tag: string; name: string }[] = [
      { number: 0, tag: '*', name: 'greeting' },
    ];
    const fromClient = protocol === 'imap' ? imapPieces() : smtpPieces();
    const fromServer = protocol === 'imap' ? imapPieces() : linePieces();
    let hung = false;
    let opaque = false;
    /** The rest of a refused command, up to its end, does not go to the server. */
    let refused: { readonly answer: string } | undefined;

    const cut = () => {
      takeFault();
      client.destroy();
      upstream.destroy();
    };

    client.on('data', (bytes: Buffer) => {
      if (hung) return;
      if (opaque) return void upstream.write(bytes);
      if (fromClient.inBody() && fault?.does === 'cut begun') return cut();
      for (const piece of fromClient.push(bytes)) {
        if (client.destroyed) return;
        const name = piece.begins ? commandName(protocol, piece) : undefined;
        if (name !== undefined) {
          commands.push(name);
          const number = commands.length;
          const tag = piece.bytes.toString('latin1').split(' ')[0] ?? '';
          unanswered.push({ number, tag, name });
          if (fault?.at === number && fault.does === 'hang') {
            hung = true;
            takeFault();
            return;
          }
          if (fault?.at === number && fault.does === 'cut before') return cut();
          const text =
            fault?.at === number && fault.does === 'refuse' ? 'NO refused' : refusal(lineOf(piece));
          if (text !== undefined) {
            if (fault?.at === number) takeFault();
            refused = { answer: `${tag} ${text}\r\n` };
            unanswered.pop();
          }
        }
        if (refused === undefined) upstream.write(piece.bytes);
        else if (piece.ends) {
          client.write(refused.answer);
          refused = undefined;
        }
      }
    });

    upstream.on('data', (bytes: Buffer) => {
      if (hung) return;
      if (opaque) return void client.write(bytes);
      for (const piece of fromServer.push(bytes)) {
        const [current] = unanswered;
        const text = piece.bytes.toString('latin1');
        const completes = current !== undefined && piece.begins && isCompletion(protocol, text, current);
        const aimed = current !== undefined && fault?.at === current.number ? fault : undefined;
        if (completes) unanswered.shift();
        if (aimed?.does === 'hang') {
          hung = true;
          takeFault();
          return;
        }
        if (aimed?.does === 'cut unanswered' && !text.startsWith('+')) {
          if (completes) return cut();
          continue;
        }
        if (aimed?.does === 'cut answered' && completes) {
          takeFault();
          client.end(piece.bytes, () => upstream.destroy());
          return;
        }
        if (aimed?.does === 'delay' && completes) {
          takeFault();
          setTimeout(() => client.write(piece.bytes), aimed.delayMs);
          continue;
        }
        if (completes && current.name === 'DATA' && text.startsWith('3')) fromClient.expectBody();
        if (completes && current.name === 'STARTTLS') opaque = true;
        client.write(
          protocol === 'imap' && piece.isLine ? Buffer.from(reply(lineOf(piece)), 'latin1') : piece.bytes,
        );
      }
    });
  }

  return {
    port,
    get commands() {
      return commands;
    },
    script(next) {
      fault = next;
      commands = [];
      return new Promise((resolve) => {
        happened = resolve;
      });
    },
    drop,
    stop,
  };
}

/** A line, the literal that a line announced, or the body of a message. */
interface Piece {
  readonly bytes: Buffer;
  /** False for what continues a line after a literal. */
  readonly begins: boolean;
  /** False if a literal follows. */
  readonly ends: boolean;
  readonly isLine: boolean;
  readonly isBody: boolean;
}

function lineOf({ bytes }: Piece): string {
  return bytes.toString('latin1');
}

interface Pieces {
  push(bytes: Buffer): Piece[];
  /** From now on, reads the body of a message, up to its final dot. */
  expectBody(): void;
  inBody(): boolean;
}

const BODY_END = '\r\n.\r\n';

function smtpPieces(): Pieces {
  let rest = Buffer.alloc(0);
  let body = false;
  return {
    push(bytes) {
      rest = Buffer.concat([rest, bytes]);
      const pieces: Piece[] = [];
      for (;;) {
        const end = body ? rest.indexOf(BODY_END) + BODY_END.length : rest.indexOf('\n') + 1;
        if (end < (body ? BODY_END.length : 1)) return pieces;
        pieces.push({ bytes: rest.subarray(0, end), begins: true, ends: true, isLine: !body, isBody: body });
        rest = rest.subarray(end);
        body = false;
      }
    },
    expectBody() {
      body = true;
    },
    inBody: () => body,
  };
}

const linePieces = smtpPieces;

function imapPieces(): Pieces {
  let rest = Buffer.alloc(0);
  let literalBytes = 0;
  let begins = true;
  return {
    push(bytes) {
      rest = Buffer.concat([rest, bytes]);
      const pieces: Piece[] = [];
      for (;;) {
        if (literalBytes > 0) {
          if (rest.length === 0) return pieces;
          const literal = rest.subarray(0, literalBytes);
          pieces.push({ bytes: literal, begins: false, ends: false, isLine: false, isBody: false });
          literalBytes -= literal.length;
          rest = rest.subarray(literal.length);
          continue;
        }
        const end = rest.indexOf('\n') + 1;
        if (end === 0) return pieces;
        const line = rest.subarray(0, end);
        rest = rest.subarray(end);
        const announced = /\{(\d+)\+?\}\r\n$/.exec(line.toString('latin1'));
        pieces.push({ bytes: line, begins, ends: announced === null, isLine: true, isBody: false });
        literalBytes = Number(announced?.[1] ?? 0);
        begins = announced === null;
      }
    },
    expectBody: () => undefined,
    inBody: () => false,
  };
}

/** @returns undefined for what belongs to the previous command, such as a response within AUTHENTICATE */
function commandName(protocol: 'imap' | 'smtp', { bytes, isBody }: Piece): string | undefined {
  if (isBody) return 'BODY';
  const line = bytes.toString('latin1').trimEnd();
  if (protocol === 'smtp') return /^[A-Za-z]{4,8}(?= |$)/.exec(line)?.[0].toUpperCase() ?? 'AUTH-ANSWER';
  return /^\w+ ((?:UID )?[A-Za-z]+)/i.exec(line)?.[1]?.toUpperCase();
}

/** Whether the line ends the reply to the command. */
function isCompletion(
  protocol: 'imap' | 'smtp',
  line: string,
  { number, tag }: { number: number; tag: string },
): boolean {
  if (protocol === 'smtp') return /^\d{3}(?: |\r)/.test(line);
  return number === 0 || line.startsWith(`${tag} `);
}

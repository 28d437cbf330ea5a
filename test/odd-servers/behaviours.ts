import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { clearInterval, setInterval } from 'node:timers';

/**
 * What a server does with the connection of a client. One that begins well takes `reach`, and calls it where it becomes odd.
 */
export type Behaviour = (socket: Socket, reach?: () => void) => void;

/** How servers of mail and calendars behave that do nothing useful, by name. */
export type Odd = Readonly<Record<string, Behaviour>>;

const TRICKLE_MS = 20;
const PIECE = 64 * 1024;
const GARBAGE = randomBytes(1024 * 1024);
/** The header of a TLS record of 4 KB that holds a handshake, and the type and length of a ServerHello of 4000 bytes. */
const SERVER_HELLO_BEGUN = Buffer.from('1603031000' + '02000fa0', 'hex');

export const ODD_IMAP: Odd = {
  'never answers': () => undefined,
  'answers byte by byte': (socket) => trickle(socket, `* OK ready\r\n* BYE ${'x'.repeat(5000)}\r\n`),
  'greets without end': (socket) => flood(socket, filler('* OK more\r\n')),
  'sends a line without end': (socket) => flood(socket, filler('* OK more ')),
  'sends garbage': (socket) => flood(socket, GARBAGE),
  'answers without end': (socket) => afterLogin(socket, () => flood(socket, filler('* OK more\r\n'))),
  'lists folders without end': (socket) =>
    afterLogin(socket, () => flood(socket, filler('* LIST (\\HasNoChildren) "/" "a folder"\r\n'))),
  'lists messages without end': (socket) =>
    afterLogin(socket, () => flood(socket, filler('* 1 FETCH (UID 7 FLAGS (\\Seen) RFC822.SIZE 9)\r\n'))),
  'lists 100,000 folders': (socket) =>
    afterLogin(socket, (tag) => {
      let folders = '';
      for (let n = 0; n < 100_000; n++) folders += `* LIST (\\HasNoChildren) "/" "folder ${n}"\r\n`;
      socket.write(`${folders}${tag} OK done\r\n`);
    }),
  'nests brackets': (socket) =>
    afterLogin(socket, (tag) => socket.write(`* LIST ${'('.repeat(1024 * 1024)}\r\n${tag} OK done\r\n`)),
  'announces 4 GB': (socket) =>
    afterLogin(socket, () => {
      socket.write('* LIST () "/" {4294967295}\r\n');
      flood(socket, filler('x'));
    }),
  'ends each connection': (socket) => socket.end('* BYE later\r\n'),
};

export const ODD_SMTP: Odd = {
  'never answers': () => undefined,
  'answers byte by byte': (socket) => trickle(socket, `220-${'x'.repeat(5000)}\r\n220 ready\r\n`),
  'greets without end': (socket) => flood(socket, filler('220-more\r\n')),
  'sends a line without end': (socket) => flood(socket, filler('220-more ')),
  'sends garbage': (socket) => flood(socket, GARBAGE),
  'answers without end': (socket) => {
    socket.write('220 ready\r\n');
    socket.once('data', () => flood(socket, filler('250-MORE\r\n')));
  },
  'takes half a message': (socket, reach) => {
    socket.write('220 ready\r\n');
    eachLine(socket, (line) => {
      if (line.startsWith('EHLO')) socket.write('250-odd\r\n250 AUTH PLAIN\r\n');
      else if (line.startsWith('AUTH')) socket.write('235 in\r\n');
      else if (line.startsWith('DATA')) {
        socket.write('354 go on\r\n');
        reach?.();
      } else if (/^(?:MAIL|RCPT)/.test(line)) socket.write('250 ok\r\n');
    });
  },
};

/** Instead of a TLS handshake. */
export const ODD_TLS: Odd = {
  'never shakes hands': () => undefined,
  'sends garbage before TLS': (socket) => flood(socket, GARBAGE),
  'begins a handshake and says no more': (socket) => socket.write(SERVER_HELLO_BEGUN),
  'ends at the handshake': (socket) => socket.once('data', () => socket.end()),
};

/** IMAP after STARTTLS. */
export const ODD_IMAP_STARTTLS: Odd = {
  'never answers STARTTLS': (socket) => beforeTls(socket, () => undefined),
  'answers STARTTLS without end': (socket) => beforeTls(socket, () => flood(socket, filler('* OK more\r\n'))),
  ...inTls((odd) => (socket) => {
    beforeTls(socket, (tag) => {
      socket.write(`${tag} OK go on\r\n`);
      odd(socket);
    });
  }),
};

/** SMTP after STARTTLS. */
export const ODD_SMTP_STARTTLS: Odd = {
  'never answers STARTTLS': (socket) => beforeSmtpTls(socket, () => undefined),
  'answers STARTTLS without end': (socket) =>
    beforeSmtpTls(socket, () => flood(socket, filler('220-more\r\n'))),
  ...inTls((odd) => (socket) => {
    beforeSmtpTls(socket, () => {
      socket.write('220 go on\r\n');
      odd(socket);
    });
  }),
};

const OK = 'HTTP/1.1 207 Multi-Status\r\nContent-Type: application/xml; charset=utf-8\r\n';
const XML = '<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">';
const UNTIL_CLOSED = `${OK}Connection: close\r\n\r\n${XML}`;

export const ODD_CALDAV: Odd = {
  'never answers': () => undefined,
  'answers byte by byte': answering((socket) => trickle(socket, UNTIL_CLOSED + 'x'.repeat(5000))),
  'answers without end': answering((socket) => {
    socket.write(UNTIL_CLOSED);
    flood(socket, filler('<d:response><d:href>/a/</d:href></d:response>'));
  }),
  'sends headers without end': answering((socket) => {
    socket.write(OK);
    flood(socket, filler('X-More: more\r\n'));
  }),
  'sends garbage': answering((socket) => flood(socket, GARBAGE)),
  'answers 30 MB of responses': answering((socket) => {
    const body = Buffer.concat([
      Buffer.from(XML),
      ...Array<Buffer>(480).fill(filler('<d:response><d:href>/a/</d:href></d:response>')),
    ]);
    socket.write(`${OK}Content-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
  }),
  'nests elements': answering((socket) => {
    const body = XML + '<d:response>'.repeat(500_000);
    socket.write(`${OK}Content-Length: ${body.length}\r\n\r\n${body}`);
  }),
  'sends on in circles': answering((socket) =>
    socket.write('HTTP/1.1 301 Moved\r\nLocation: /again/\r\nContent-Length: 0\r\n\r\n'),
  ),
};

/** As many of it as fit a piece. */
function filler(unit: string): Buffer {
  return Buffer.from(unit.repeat(Math.ceil(PIECE / unit.length)));
}

/** Sends the same again and again, as fast as the other side takes it. */
function flood(socket: Socket, bytes: Buffer): void {
  const endless = new Readable({
    read() {
      this.push(bytes);
    },
  });
  endless.pipe(socket);
  socket.once('close', () => endless.destroy());
}

function trickle(socket: Socket, text: string): void {
  let sent = 0;
  const timer = setInterval(() => {
    socket.write(text.charAt(sent % text.length));
    sent += 1;
  }, TRICKLE_MS);
  socket.once('close', () => clearInterval(timer));
}

function eachLine(socket: Socket, take: (line: string) => void): void {
  let begun = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    const lines = (begun + text).split('\r\n');
    begun = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
}

/** Lets everybody in, and leaves the next commands to `odd`. @param odd  takes the tag of a command */
function afterLogin(socket: Socket, odd: (tag: string) => void): void {
  socket.write('* OK [CAPABILITY IMAP4rev1 UIDPLUS] ready\r\n');
  let isIn = false;
  eachLine(socket, (line) => {
    const [tag = '', command = ''] = line.split(' ');
    if (isIn) odd(tag);
    else if (/^CAPABILITY$/i.test(command))
      socket.write(`* CAPABILITY IMAP4rev1 UIDPLUS\r\n${tag} OK done\r\n`);
    else {
      isIn = /^LOGIN$/i.test(command);
      socket.write(`${tag} OK done\r\n`);
    }
  });
}

function inTls(after: (odd: Behaviour) => Behaviour): Odd {
  return Object.fromEntries(
    Object.entries(ODD_TLS).map(([name, odd]) => [`${name}, after STARTTLS`, after(odd)]),
  );
}

/** Greets, and leaves STARTTLS to `odd`. @param odd  takes the tag of the command */
function beforeTls(socket: Socket, odd: (tag: string) => void): void {
  socket.write('* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n');
  eachLine(socket, (line) => {
    const [tag = '', command = ''] = line.split(' ');
    if (/^STARTTLS$/i.test(command)) odd(tag);
    else socket.write(`* CAPABILITY IMAP4rev1 STARTTLS\r\n${tag} OK done\r\n`);
  });
}

function beforeSmtpTls(socket: Socket, odd: () => void): void {
  socket.write('220 ready\r\n');
  eachLine(socket, (line) => {
    if (/^STARTTLS$/i.test(line)) odd();
    else socket.write('250-odd\r\n250 STARTTLS\r\n');
  });
}

/** Answers each request, once its head is there. */
function answering(answer: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => {
    let begun = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      begun = (begun + text).slice(-8192);
      if (!begun.includes('\r\n\r\n')) return;
      begun = '';
      answer(socket);
    });
  };
}

import { connect, type Socket } from 'node:net';
import { readWireBody, type WireBody } from './wire-body.ts';

export interface Answer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: WireBody;
}

export interface RawRequest {
  method: string;
  target: string;
  /** Sent as they stand, in this order. */
  headers: [string, string][];
  body: string;
}

/** Sends a request byte for byte, which no HTTP client would let us write, and reads the first answer. */
export function sendRaw(port: number, request: RawRequest): Promise<Answer> {
  const lines = request.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return sendBytes(port, `${request.method} ${request.target} HTTP/1.1\r\n${lines}\r\n${request.body}`);
}

export function sendBytes(port: number, bytes: string): Promise<Answer> {
  return sendPackets(port, [bytes]);
}

/** Sends each packet once a server in this process had time to read the one before it. */
export function sendPackets(port: number, packets: readonly string[]): Promise<Answer> {
  const isHead = packets[0]?.startsWith('HEAD ') === true;
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => void writeEach(socket, packets));
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const answer = answerIn(received, isHead);
      if (answer === undefined) return;
      resolve(answer);
      socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`closed after ${JSON.stringify(received.toString())}`)));
  });
}

/** Sends the packets as `sendPackets` does. @returns everything that comes back until the server closes the connection */
export function everythingFrom(port: number, packets: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => void writeEach(socket, packets));
    let received = '';
    socket.on('data', (chunk) => {
      received += String(chunk);
    });
    socket.on('error', reject);
    socket.on('end', () => resolve(received));
  });
}

/** Writes each packet once a server in this process had time to read the one before it. */
async function writeEach(socket: Socket, packets: readonly string[]): Promise<void> {
  for (const packet of packets) {
    if (!socket.writable) return;
    socket.write(packet);
    for (let turn = 0; turn < 8; turn++) await new Promise((next) => setImmediate(next));
  }
}

/** Whether the server closes the connection by itself once it has answered. */
export function closesAfter(port: number, bytes: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const answer = answerIn(received, false);
      if (answer !== undefined && answer.headers.connection !== 'close') {
        resolve(false);
        socket.destroy();
      }
    });
    socket.on('error', reject);
    socket.on('end', () => resolve(true));
  });
}

function answerIn(received: Buffer, isHead: boolean): Answer | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const length = isHead ? 0 : Number(headers['content-length']);
  const body = received.subarray(end + 4);
  if (body.length < length) return undefined;
  const text = body.subarray(0, length).toString('utf8');
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    text,
    json: readWireBody(text),
  };
}

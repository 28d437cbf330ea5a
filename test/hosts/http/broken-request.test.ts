import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeHandler } from '../../../hosts/node/node-handler.ts';
import { listen, type WebServerOptions } from '../../../hosts/server/listeners/web-server.ts';
import { openTestService } from '../../open-service.ts';
import { ownRestServer } from '../rest/rest-server.ts';

/** Sends the bytes piece by piece. @returns the status lines that come back, once the server has closed the connection */
async function statusesOf(port: number, ...pieces: string[]): Promise<number[]> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const received = textOf(socket);
  for (const piece of pieces) {
    socket.write(piece);
    if (pieces.length > 1) await pause(50);
  }
  return [...(await received).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

function textOf(socket: Socket): Promise<string> {
  let received = '';
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  return new Promise((resolve) => socket.once('close', () => resolve(received)));
}

/** A server of pages that reads every body to its end. */
async function pages(limits: WebServerOptions['limits'] = {}): Promise<number> {
  const web = await listen('127.0.0.1', 0, { limits });
  onTestFinished(() => web.stop(0));
  web.answerWith((req: IncomingMessage, res: ServerResponse) => {
    text(req).then(
      () => res.end('ok'),
      () => res.destroy(),
    );
  });
  return web.port;
}

/** The API behind a listener of the bundled server. */
async function api(limits: WebServerOptions['limits'] = {}): Promise<number> {
  const { service } = await openTestService();
  const handler = nodeHandler(service, { doors: ['rest'] });
  const web = await listen('127.0.0.1', 0, { limits });
  onTestFinished(async () => {
    await web.stop(0);
    await service.stop();
  });
  web.answerWith(handler, handler.clientError);
  return web.port;
}

const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';

/** Bytes, in pieces; the status of the API; the status of a server of pages. */
const BROKEN: [name: string, pieces: string[], api: number, page: number][] = [
  ['that are no HTTP', ['\x16\x03\x01\x02\x00\x01\x00\r\n\r\n'], 400, 400],
  ['of an unknown method', ['GARBLE / HTTP/1.1\r\nHost: x\r\n\r\n'], 400, 400],
  ['with a header of 20 KB', [`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`], 431, 431],
  ['with a Content-Length that is no number', ['POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n'], 421, 400],
  ['with an unknown Transfer-Encoding', ['POST @ HTTP/1.1\r\n#Transfer-Encoding: gzip\r\n\r\nabc'], 411, 400],
  [
    'with chunks that are encoded once more',
    ['POST @ HTTP/1.1\r\n#Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n'],
    411,
    400,
  ],
  ['with a broken chunk', [`POST @ HTTP/1.1\r\n#${CHUNKED}zz\r\n{}\r\n0\r\n\r\n`], 411, 400],
  ['with a broken chunk that comes later', [`POST @ HTTP/1.1\r\n#${CHUNKED}`, 'zz\r\n'], 411, 400],
  ['with a chunk longer than it says', [`POST @ HTTP/1.1\r\n#${CHUNKED}1\r\nabc\r\n`], 411, 400],
];

describe.each(BROKEN)('bytes %s', (_name, pieces, api, page) => {
  const addressed = (head: string) =>
    pieces.map((piece) => piece.replace('@', '/v1/messages').replace('#', head));

  it('are answered by the API before the connection closes', async () => {
    const { port, apiKey } = await ownRestServer();
    const head = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\n`;
    expect(await statusesOf(port, ...addressed(head))).toEqual([api]);
  });

  it('are answered by a server of pages before the connection closes', async () => {
    expect(await statusesOf(await pages(), ...addressed('Host: x\r\n'))).toEqual([page]);
  });
});

describe('a connection', () => {
  it('answers the request before the broken one first', async () => {
    const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
    expect(await statusesOf(await pages(), `${request}garbage\r\n\r\n`)).toEqual([200, 400]);
  });

  it('whose body does not come in time is answered 408', async () => {
    const port = await pages({ headMs: 300, requestMs: 300 });
    expect(await statusesOf(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc')).toEqual([
      408,
    ]);
  });

  it('whose broken head does not end in time is answered 408', async () => {
    const port = await api({ headMs: 300, requestMs: 300 });
    expect(await statusesOf(port, 'POST /v1/messages HTTP/1.1\r\nContent-Length: x')).toEqual([408]);
  });

  it('whose broken head is too long is answered', async () => {
    const long = `POST /v1/messages HTTP/1.1\r\nContent-Length: x\r\nX: ${'x'.repeat(20_000)}`;
    expect(await statusesOf(await api(), long)).toEqual([400]);
  });

  it('whose head does not come in time is answered 408', async () => {
    expect(await statusesOf(await pages({ headMs: 300, requestMs: 300 }), 'GET / HTTP/1.1\r\nHost:')).toEqual(
      [408],
    );
  });
});

import { once } from 'node:events';
import net from 'node:net';
import * as z from 'zod';
import { answerParent } from './answer-parent.ts';
import type { LoadAnswer } from './server-load.ts';

/** The process that generates the load: several keep-alive connections, each with one call after the other. */

const question = z.object({
  port: z.int(),
  path: z.string(),
  /** JSON to post. Null: a GET. */
  body: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  apiKey: z.string(),
  connections: z.int(),
  ms: z.number(),
});

const POSTED = 'Content-Type: application/json\r\nAccept: application/json, text/event-stream';
const HEAD_END = '\r\n\r\n';

answerParent(
  async (asked): Promise<LoadAnswer> => {
    const { port, path, body, headers, apiKey, connections, ms } = question.parse(asked);
    const all = { Host: `127.0.0.1:${port}`, Authorization: `Bearer ${apiKey}`, ...headers };
    const common = [`${path} HTTP/1.1`, ...Object.entries(all).map((header) => header.join(': '))].join(
      '\r\n',
    );
    const request = Buffer.from(
      body === null
        ? `GET ${common}${HEAD_END}`
        : `POST ${common}\r\n${POSTED}\r\nContent-Length: ${Buffer.byteLength(body)}${HEAD_END}${body}`,
    );
    const sockets = await Promise.all(Array.from({ length: connections }, () => connected(port)));
    const began = performance.now();
    const counts = await Promise.all(sockets.map((socket) => callUntil(socket, request, began + ms)));
    const tookMs = performance.now() - began;
    for (const socket of sockets) socket.destroy();
    return { callsPerS: counts.reduce((sum, count) => sum + count, 0) / (tookMs / 1000) };
  },
  () => process.exit(0),
);

async function connected(port: number): Promise<net.Socket> {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/** @returns the number of calls; all of them were answered with 200 */
function callUntil(socket: net.Socket, request: Buffer, end: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let calls = 0;
    let bytesMissing = 0;
    let begun = '';
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server ended a connection')));
    socket.on('data', (bytes) => {
      if (bytesMissing > 0) {
        bytesMissing -= bytes.length;
      } else {
        begun += bytes.toString('latin1');
        const headEnd = begun.indexOf(HEAD_END);
        if (headEnd < 0) return;
        const length = /\r\ncontent-length: (\d+)\r\n/i.exec(begun)?.[1];
        if (!begun.startsWith('HTTP/1.1 200 ') || length === undefined) {
          return reject(new Error(`the server answered ${begun.slice(0, 500)}`));
        }
        bytesMissing = Number(length) - (begun.length - headEnd - HEAD_END.length);
        begun = '';
      }
      if (bytesMissing > 0) return;
      calls += 1;
      if (performance.now() < end) socket.write(request);
      else resolve(calls);
    });
    socket.write(request);
  });
}

import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request that passed, and the size of its response. */
export interface Passed {
  readonly method: string;
  readonly body: string;
  readonly responseBytes: number;
}

/** Passes HTTP to a server and records it. Stops with the test. @param url of the server */
export async function startCountingProxy(
  url: string,
): Promise<{ readonly url: string; readonly passed: Passed[] }> {
  const passed: Passed[] = [];
  const { hostname, port } = new URL(url);
  const server = http.createServer((request, response) => void pass(request, response));

  async function pass(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { method = '', url: path = '', headers } = request;
    const onward = http.request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      let responseBytes = 0;
      answer.on('data', (chunk: Buffer) => (responseBytes += chunk.length));
      answer.once('end', () => passed.push({ method, body: body.toString('utf8'), responseBytes }));
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => response.destroy());
    onward.end(body);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, passed };
}

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { limitedFetch } from '../../../adapters/oauth/limited-fetch.ts';

/** A server that never answers on the connections that it accepted while it was silent. */
async function startServer() {
  const state = { isSilent: false, accepted: 0, open: 0 };
  const server = createServer((socket) => {
    const { isSilent } = state;
    state.accepted += 1;
    state.open += 1;
    socket.on('error', () => undefined);
    socket.once('close', () => {
      state.open -= 1;
    });
    socket.on('data', () => {
      if (!isSilent) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  const ask = (timeLimitMs?: number) =>
    limitedFetch(url, { method: 'POST', headers: {}, body: new URLSearchParams({ a: 'b' }) }, timeLimitMs);
  return { state, ask };
}

it('a request after one without an answer is not sent on an old connection', async () => {
  const { state, ask } = await startServer();
  state.isSilent = true;
  const silent = await Promise.allSettled([ask(100), ask(100)]);
  expect(silent.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  state.isSilent = false;
  for (const request of [1, 2]) {
    const answer = await ask();
    expect(await answer.text()).toBe('ok');
    expect(state.accepted).toBe(2 + request);
  }
  await expect.poll(() => state.open).toBe(0);
});

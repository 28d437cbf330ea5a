import { describe, expect, it, onTestFinished } from 'vitest';
import { listenOnLoopback } from '../../../hosts/server/listeners/loopback-listener.ts';
import { listen, type WebServer } from '../../../hosts/server/listeners/web-server.ts';

const HOST = '127.0.0.1';

async function opened(): Promise<WebServer> {
  const web = await listen(HOST, 0);
  onTestFinished(() => web.stop(0));
  return web;
}

describe('the web server', () => {
  it('answers requests that came before its handler', async () => {
    const web = await opened();
    const early = new Promise((resolve) => web.server.once('request', resolve));
    const answer = fetch(`http://${HOST}:${web.port}/`);
    await early;
    web.answerWith((_req, res) => res.end('late'));
    expect(await (await answer).text()).toBe('late');
  });

  it('names the setting if its port is taken', async () => {
    const { port } = await opened();
    await expect(listen(HOST, port)).rejects.toThrow(
      `Port ${port} of ${HOST} is taken: set COUNTERSIGN_PORT`,
    );
  });

  it('finishes requests in flight when it stops, and closes kept-alive connections', async () => {
    const web = await listen(HOST, 0);
    let finish = (): void => {};
    const asked = new Promise<void>((resolve) => {
      web.answerWith((_req, res) => {
        finish = () => res.end('done');
        resolve();
      });
    });
    const answer = fetch(`http://${HOST}:${web.port}/`);
    await asked;
    const stopped = web.stop(60_000);
    finish();
    expect(await (await answer).text()).toBe('done');
    await stopped;
    await expect(fetch(`http://${HOST}:${web.port}/`)).rejects.toThrow();
  });

  it('cuts off requests that do not end', async () => {
    const web = await listen(HOST, 0);
    const asked = new Promise<void>((resolve) => web.answerWith(() => resolve()));
    const answer = fetch(`http://${HOST}:${web.port}/`).catch(() => 'cut off');
    await asked;
    await web.stop(1);
    expect(await answer).toBe('cut off');
  });

  it('listens on both loopback addresses, so no other program can stand in for it', async () => {
    const web = await listenOnLoopback(HOST, 0);
    onTestFinished(() => web.stop(0));
    web.answerWith((_req, res) => res.end('mine'));
    for (const host of [HOST, '[::1]']) {
      expect(await (await fetch(`http://${host}:${web.port}/`)).text()).toBe('mine');
    }
    await expect(listen('::1', web.port)).rejects.toThrow(`Port ${web.port} of ::1 is taken`);
    await web.stop(0);
    await expect(fetch(`http://[::1]:${web.port}/`)).rejects.toThrow('fetch failed');
  });

  it('does not start if another program has its port on the other loopback address', async () => {
    const squatter = await listen('::1', 0);
    onTestFinished(() => squatter.stop(0));
    await expect(listenOnLoopback(HOST, squatter.port)).rejects.toThrow(
      `Port ${squatter.port} of ::1 is taken`,
    );
    // It released the port that it had.
    await (await listen(HOST, squatter.port)).stop(0);
  });
});

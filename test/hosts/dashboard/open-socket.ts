import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

interface Frame {
  readonly waiting: number;
  readonly version: string;
}

export interface OpenedSocket {
  readonly socket: WebSocket;
  readonly frames: Frame[];
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
}

/**
 * Opens the socket of a page as a browser does. It ends with the test.
 * @param url  of the dashboard
 * @throws Error with the status of the refusal
 */
export async function openSocket(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<OpenedSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/live`, { headers });
  const frames: Frame[] = [];
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString('utf8')) as Frame));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  onTestFinished(() => socket.terminate());
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  return { socket, frames, closed };
}

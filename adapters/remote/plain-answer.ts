import type { ClientRequest } from 'node:http';

/** The most interim responses (1xx) before the response. */
const INTERIM_MAX = 16;

/** The server's answer is not plain HTTP. */
export class NotHttp extends Error {}

/**
 * Makes a request fail if its server switches to another protocol, which Node does not report as an error, or only sends
 * interim responses, which Node reads without end.
 */
export function expectPlainAnswer(outgoing: ClientRequest): void {
  const fail = (reason: string) => {
    // At once: the answer may have been read already.
    outgoing.emit('error', new NotHttp(reason));
    outgoing.destroy();
  };
  // The code that sends the request gets the first error.
  outgoing.on('error', () => undefined);
  outgoing.once('upgrade', (_response, socket) => {
    socket.destroy();
    fail('it does not speak plain HTTP');
  });
  let interim = 0;
  outgoing.on('information', () => {
    interim += 1;
    if (interim === INTERIM_MAX + 1) fail('it only sent interim responses');
  });
}

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FinishedSignIn, SignInPurpose } from '../../../core/accounts/mail-sign-ins.ts';
import type { Service } from '../../../core/service/service.ts';
import { visibleText } from '../../dashboard/visible-text.ts';
import { headOf, targetOf } from '../../http/request-head.ts';
import { UsageError } from '../command.ts';
import type { Terminal } from '../terminal.ts';

/** How long the command waits for the browser. */
const WAIT_MS = 15 * 60_000;
const CALLBACK = '/callback';

/** For commands that sign in at a provider. */
export const SIGN_IN_OPTIONS = { 'redirect-port': { type: 'string' } } as const;

/** @throws UsageError */
export function redirectPort(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError('--redirect-port must be a port');
  return Number(text);
}

/**
 * Signs in at a provider: with a device code if it offers one, otherwise in a browser on this machine, which the provider
 * sends back to a loopback address (RFC 8252).
 * @param port  of the loopback address; 0: any free one @throws Error with a message for the user
 */
export async function signInAtProvider(
  { mailSignIns }: Service,
  request: { readonly ownerId: string; readonly providerId: string; readonly purpose: SignInPurpose },
  port: number,
  terminal: Terminal,
): Promise<FinishedSignIn> {
  const all = mailSignIns.providers();
  const provider = all.find(({ id }) => id === request.providerId);
  if (provider === undefined) {
    const known = all.map(({ id }) => id).join(', ') || 'none (set them up with mailProviders)';
    throw new Error(`There is no provider ${request.providerId}. Available: ${known}`);
  }
  if (provider.offersDevice) {
    const device = await mailSignIns.beginDevice(request);
    const { verificationUri, userCode } = device;
    terminal.tell(visibleText(`Open ${verificationUri} in any browser and enter the code ${userCode}`));
    return device.finish();
  }
  return inBrowser(mailSignIns, request, port, terminal);
}

async function inBrowser(
  mailSignIns: Service['mailSignIns'],
  request: { readonly ownerId: string; readonly providerId: string; readonly purpose: SignInPurpose },
  port: number,
  terminal: Terminal,
): Promise<FinishedSignIn> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  try {
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${CALLBACK}`;
    const session = { ownerId: request.ownerId, sessionId: `command ${randomUUID()}` };
    const url = await mailSignIns.begin({ ...request, ...session, redirectUri });
    const state = new URL(url).searchParams.get('state');
    terminal.tell(`Open this address in a browser on this machine:\n${url}`);
    const parameters = await new Promise<URLSearchParams>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('Nobody signed in within 15 minutes.')), WAIT_MS);
      server.on('request', (incoming, response) => {
        const { path, query } = targetOf(headOf(incoming));
        // Any page can send a browser here. Only the provider knows the state.
        const isAnswer = path === CALLBACK && query.get('state') === state;
        response.writeHead(isAnswer ? 200 : 404, {
          'content-type': 'text/plain; charset=utf-8',
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
          connection: 'close',
        });
        response.end(isAnswer ? 'You can close this page and go back to the terminal.\n' : 'Not found\n');
        if (!isAnswer || incoming.method !== 'GET') return;
        clearTimeout(timer);
        resolve(query);
      });
    });
    const { providerId } = request;
    const answer = await mailSignIns.takeAnswer({ ...session, providerId, parameters });
    return await answer.finish();
  } finally {
    server.close();
  }
}

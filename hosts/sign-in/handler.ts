import { type HttpHandler, httpHandler } from '../http/http-handler.ts';
import type { ApiOptions } from '../http/request.ts';
import { type SignInService, signInHost } from './sign-in-host.ts';

/**
 * The host where assistants sign in, for `node:http`, Express, Fastify and similar servers. Mount it at the root of
 * `mcpUrl`, in front of any body parser. It answers every request that it receives.
 * @throws Error if the service has no `mcpUrl`, or an option is wrong
 */
export function signInHandler(service: SignInService, options: ApiOptions = {}): HttpHandler {
  return httpHandler(signInHost(service, options));
}

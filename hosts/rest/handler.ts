import type { Duplex } from 'node:stream';
import { brokenRequests } from '../http/broken-request.ts';
import { type HttpHandler, httpHandler } from '../http/http-handler.ts';
import type { ParseError } from '../http/last-response.ts';
import type { ApiOptions } from '../http/request.ts';
import { type RestService, restApi } from './rest-api.ts';

/**
 * The REST API as a handler for `node:http`, Express, Fastify and similar servers. Place it before any body parser.
 * It answers every request that it receives, unknown paths with 404.
 * @throws Error naming the option if an option is wrong
 */
export function restHandler(service: RestService, options: ApiOptions = {}): HttpHandler {
  return httpHandler(restApi(service, options));
}

/**
 * A listener for a server's `clientError`. node:http rejects requests that it cannot read before they reach a request
 * handler, for example an invalid Content-Length, or one beside a Transfer-Encoding. This listener answers them in the
 * form of the API and closes the connection. Failures that come earlier in the order of refusals are still reported
 * first.
 */
export function restClientError(
  service: RestService,
  options: ApiOptions = {},
): (error: ParseError, socket: Duplex) => void {
  return brokenRequests(service, restApi(service, options));
}

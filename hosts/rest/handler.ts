import type { Duplex } from 'node:stream';
import { brokenRequests } from '../http/broken-request.ts';
import { type HttpHandler, httpHandler } from '../http/http-handler.ts';
import type { ParseError } from '../http/last-response.ts';
import type { ApiOptions } from '../http/request.ts';
import { type RestService, restApi } from './rest-api.ts';

/**
 * The REST API, for `node:http`, Express, Fastify and their like; to stand in front of any body parser.
 * It answers every request it is given, unknown paths with 404.
 * @throws Error when an option is wrong, naming it
 */
export function restHandler(service: RestService, options: ApiOptions = {}): HttpHandler {
  return httpHandler(restApi(service, options));
}

/**
 * For a server's `clientError`: node:http itself turns away what it cannot read, among it a Content-Length that is
 * no number, or one beside a Transfer-Encoding, and no request handler hears of it. They are answered here as
 * the API says; whatever came before them in the order of refusals is still said first. The connection is closed.
 */
export function restClientError(
  service: RestService,
  options: ApiOptions = {},
): (error: ParseError, socket: Duplex) => void {
  return brokenRequests(service, restApi(service, options));
}

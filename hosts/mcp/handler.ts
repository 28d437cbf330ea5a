import { type HttpHandler, httpHandler } from '../http/http-handler.ts';
import type { ApiOptions, ApiService } from '../http/request.ts';
import { mcpEndpoint } from './mcp-endpoint.ts';

/**
 * The tools by the Model Context Protocol (Streamable HTTP), with a key as `Authorization: Bearer`; for `node:http`,
 * Express, Fastify and their like, to stand at `{base_url}/mcp` in front of any body parser. It answers every
 * request it is given, whatever its path.
 * @throws Error when an option is wrong, naming it
 */
export function mcpHandler(service: ApiService, options: ApiOptions = {}): HttpHandler {
  return httpHandler(mcpEndpoint(service, options));
}

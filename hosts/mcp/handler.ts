import type { DoorOptions, DoorService } from '../http/door.ts';
import { type HttpHandler, httpHandler } from '../http/http-handler.ts';
import { mcpDoor } from './door.ts';

/**
 * The tools by the Model Context Protocol (Streamable HTTP), with a key as `Authorization: Bearer`; for `node:http`,
 * Express, Fastify and their like, to stand at `{base_url}/mcp` in front of any body parser. It answers every
 * request it is given, whatever its path.
 * @throws Error when an option is wrong, naming it
 */
export function mcpHandler(service: DoorService, options: DoorOptions = {}): HttpHandler {
  return httpHandler(mcpDoor(service, options));
}

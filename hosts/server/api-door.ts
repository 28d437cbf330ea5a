import type { Door, DoorOptions } from '../http/door.ts';
import { targetOf } from '../http/request-head.ts';
import { mcpDoor } from '../mcp/door.ts';
import { type RestService, restDoor } from '../rest/door.ts';

/** The API's door: MCP under `/mcp`, REST everywhere else. */
export function apiDoor(service: RestService, options: DoorOptions): Door {
  const rest = restDoor(service, options);
  const mcp = mcpDoor(service, options);
  return (head, readBody) => (targetOf(head).path === '/mcp' ? mcp : rest)(head, readBody);
}

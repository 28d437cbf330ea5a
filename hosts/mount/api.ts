import type { AnswerRequest, ApiOptions } from '../http/request.ts';
import { targetOf } from '../http/request-head.ts';
import { mcpEndpoint } from '../mcp/mcp-endpoint.ts';
import { type RestService, restApi } from '../rest/rest-api.ts';

/** The host of the API: the tool protocol under `/mcp`, and REST. */
export function answerApi(service: RestService, options: ApiOptions): AnswerRequest {
  const rest = restApi(service, options);
  const mcp = mcpEndpoint(service, options);
  return (head, readBody, gone) => (targetOf(head).path === '/mcp' ? mcp : rest)(head, readBody, gone);
}

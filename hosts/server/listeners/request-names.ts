import type { WorkObserver } from '../../../core/ports/work-observer.ts';
import { routePattern as dashboardPattern } from '../../dashboard/routes.ts';
import type { HttpHandler } from '../../http/http-handler.ts';
import { answeredMethod, headOf, isMcpPath, type RequestHead, targetOf } from '../../http/request-head.ts';
import { findRoute } from '../../rest/routes.ts';

const SIGN_IN_PATHS: ReadonlySet<string> = new Set(['/authorize', '/register', '/token', '/revoke']);

/** Reports each request to the observer until it is answered. @param nameOf  a name without anything from the caller */
export function observeRequests(
  handler: HttpHandler,
  observer: WorkObserver,
  nameOf: (head: RequestHead) => string,
): HttpHandler {
  return (req, res) => {
    res.once('close', observer.began(nameOf(headOf(req))));
    handler(req, res);
  };
}

export function apiRequestName(head: RequestHead): string {
  const { path } = targetOf(head);
  if (isMcpPath(path)) return 'MCP';
  const found = findRoute(answeredMethod(head), path);
  return found.kind === 'route' ? `${found.route.method} ${found.route.path}` : 'another API request';
}

export function signInRequestName(head: RequestHead): string {
  const { path } = targetOf(head);
  if (isMcpPath(path)) return 'sign-in /mcp';
  return SIGN_IN_PATHS.has(path) ? `sign-in ${path}` : 'another sign-in request';
}

export function dashboardRequestName(head: RequestHead): string {
  return dashboardPattern(head.method, targetOf(head).path) ?? 'another dashboard request';
}

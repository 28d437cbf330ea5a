import type { ErrorCode } from '../../../core/contract/errors.ts';
import { ADMISSION_ERRORS, errorsOf } from '../../../core/tools/call-errors.ts';
import { BODY_ERRORS } from '../../http/body-rules.ts';
import { ENTRY_ERRORS } from '../../http/entry-rules.ts';
import { UNEXPECTED_ERRORS } from '../../http/request.ts';
import type { Route } from '../routes.ts';
import { toolsOf } from './route-tools.ts';

/** Every error code that a route can return: from each step of its requests, and from its tools. */
export function errorsOfRoute(route: Route): ReadonlySet<ErrorCode> {
  const { call } = route;
  const codes = new Set<ErrorCode>([...ENTRY_ERRORS, ...UNEXPECTED_ERRORS, 'invalid_arguments']);
  // No key is admitted: the budget of the address is the only limit.
  if (call === 'describe') return codes.add('rate_limited');
  for (const code of [...ADMISSION_ERRORS, ...BODY_ERRORS]) codes.add(code);
  if (call === 'list_tools') return codes;
  for (const tool of toolsOf(route)) for (const code of errorsOf(tool)) codes.add(code);
  // The path names a single message.
  if (route.path.includes('{id}')) codes.delete('too_many_targets');
  // The path may name a tool that does not exist.
  return call.tools.length === 0 ? codes.add('not_found') : codes;
}

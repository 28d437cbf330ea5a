import { type Failure, failure } from '../../core/call/outcome.ts';
import { entryFailure } from '../http/entry-rules.ts';
import type { ApiRequest, PublicAddress } from '../http/request.ts';
import { allowedMethods, answeredMethod, type Target, targetOf } from '../http/request-head.ts';
import { ENVELOPE, type Form } from './answer.ts';
import { findRoute, type Route } from './routes.ts';

/** The target of a request, before its key is checked. */
export type Addressed =
  | {
      readonly kind: 'route';
      readonly route: Route;
      readonly target: Target;
      readonly path: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'refused';
      readonly failure: Failure;
      readonly headers: Readonly<Record<string, string>>;
      readonly form: Form;
    }
  /** The health check. It needs no key and accepts any host name. */
  | { readonly kind: 'health'; readonly form: Form };

/** Checks host, origin, keys in the URL, route and method, in this order. Pure. */
export function addressed(request: Pick<ApiRequest, 'head' | 'leakedKeys'>, at: PublicAddress): Addressed {
  const { head } = request;
  const target = targetOf(head);
  const method = answeredMethod(head);
  const found = findRoute(method, target.path);
  const isHealth = target.path === '/healthz';
  const refused = (why: Failure, headers: Record<string, string> = {}): Addressed => ({
    kind: 'refused',
    failure: why,
    headers,
    form: found.kind === 'none' ? ENVELOPE : found,
  });
  const wrong = entryFailure(request, isHealth ? undefined : at);
  if (wrong !== undefined) return refused(wrong);
  if (isHealth) {
    if (method !== 'GET') return refused(failure('method_not_allowed'), { Allow: allowedMethods(['GET']) });
    return { kind: 'health', form: ENVELOPE };
  }
  switch (found.kind) {
    case 'none':
      return refused(failure('not_found', { reason: 'route' }));
    case 'other_method':
      return refused(failure('method_not_allowed'), { Allow: allowedMethods(found.methods) });
    case 'route':
      return { kind: 'route', route: found.route, target, path: found.parameters };
  }
}

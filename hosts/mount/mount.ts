import { failure } from '../../core/call/outcome.ts';
import type { Service } from '../../core/service/service.ts';
import { ASSETS, NAMED_ASSETS } from '../dashboard/assets.ts';
import { ownerPages } from '../dashboard/handler.ts';
import { findRoute as findPage } from '../dashboard/routes.ts';
import { trustedProxies } from '../http/client-address.ts';
import { revokeLeakedKeys } from '../http/leaked-keys.ts';
import { codedBody, failureStatus } from '../http/reply.ts';
import {
  type AnswerRequest,
  type ApiOptions,
  addressRate,
  answerFailure,
  completeReply,
  receiveRequest,
} from '../http/request.ts';
import { isMcpPath, targetOf } from '../http/request-head.ts';
import { mcpEndpoint } from '../mcp/mcp-endpoint.ts';
import { restApi } from '../rest/rest-api.ts';
import { findRoute as findApiRoute } from '../rest/routes.ts';
import { signInHost } from '../sign-in/sign-in-host.ts';
import type { Door, MountOptions, MountPlan } from './options.ts';

const HEALTH = '/healthz';

/**
 * Answers the requests of a mount: each by its door, by the path below the base path.
 * @param hasSockets  whether the server takes the sockets of open pages
 */
export function answerMount(
  service: Service,
  options: MountOptions,
  plan: MountPlan,
  hasSockets: () => boolean,
): AnswerRequest {
  const { basePath } = plan;
  const door = doors(service, options, plan, hasSockets);
  // Everything is below the root, even `*` and a target that no door can read.
  if (basePath === '') {
    return (head, readBody, gone, readSession) =>
      door(targetOf(head).path)(head, readBody, gone, readSession);
  }
  const misplaced = answerMisplaced(service, options, plan);
  return (head, readBody, gone, readSession) => {
    const [, host = '', whole = ''] = /^(https?:\/\/[^/?#]*)?(.*)$/is.exec(head.target) ?? [];
    const target = belowBase(whole, basePath);
    if (target === undefined || isDoubled(head.method, target, basePath))
      return misplaced(head, readBody, gone);
    const below = { ...head, target: `${host}${target}` };
    return door(targetOf(below).path)(below, readBody, gone, readSession);
  };
}

/** Returns the door of a path. A door that is alone answers every path. */
function doors(
  service: Service,
  options: MountOptions,
  plan: MountPlan,
  hasSockets: () => boolean,
): (path: string) => AnswerRequest {
  const { connect, trustedProxies = [], log } = options;
  const { appSignIn } = plan;
  const common: ApiOptions = { trustedProxies, ...(log && { log }) };
  const open = (door: Door, opened: () => AnswerRequest) => (plan.doors.has(door) ? opened() : undefined);
  const rest = open('rest', () => restApi(service, common));
  const mcp = open('mcp', () => mcpEndpoint(service, common));
  const pages = open('dashboard', () =>
    ownerPages(service, {
      ...common,
      hasSockets,
      ...(connect && { connect }),
      ...(appSignIn && { appSignIn }),
    }),
  );
  const signIn = open('sign-in', () => signInHost(service, common));
  const others = pages ?? rest ?? mcp ?? signIn;
  if (others === undefined) throw new Error('the plan has a door');
  return (path) => {
    if (isMcpPath(path)) return mcp ?? others;
    return path === HEALTH || /^\/v1(?:\/|$)/.test(path) ? (rest ?? others) : others;
  };
}

/** Answers requests that are not below the base path: a proxy in front may remove or repeat it. */
function answerMisplaced(service: Service, options: ApiOptions, { expected }: MountPlan): AnswerRequest {
  const isTrusted = trustedProxies(options.trustedProxies ?? []);
  const { address, setting } = expected;
  const reply = (why = failure('misdirected_request', { expected: address, setting })) => ({
    ...failureStatus(why),
    body: codedBody(why),
  });
  return async (head, readBody, gone) => {
    const request = receiveRequest(head, readBody, gone, isTrusted);
    try {
      await revokeLeakedKeys(service, request.leakedKeys);
      const rate = await addressRate(service, request.address);
      return completeReply(service, request, { ...reply(), rate });
    } catch (cause) {
      const answered = await answerFailure(service, options, request, cause, reply);
      return completeReply(service, request, answered);
    }
  };
}

/**
 * Returns the target of a request without the base path. Undefined if it is not below the base path.
 * A well-known name comes before the base path (RFC 8414, 3.1; RFC 9728, 3.1).
 * @param target  the path and the query of a request, as received
 */
function belowBase(target: string, basePath: string): string | undefined {
  const [, wellKnown, path = ''] = /^(\/\.well-known\/[^/?]+)(.*)$/s.exec(target) ?? [];
  if (wellKnown === undefined) return withoutBase(target, basePath);
  const below = withoutBase(path, basePath);
  return below && `${wellKnown}${below.replace(/^\/(?=\?|$)/, '')}`;
}

function withoutBase(target: string, basePath: string): string | undefined {
  if (!target.startsWith(basePath)) return undefined;
  const rest = target.slice(basePath.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : undefined;
}

/** Whether the base path comes twice. A page may have the same name as the base path. */
function isDoubled(method: string, target: string, basePath: string): boolean {
  return belowBase(target, basePath) !== undefined && !isKnown(method, target);
}

function isKnown(method: string, target: string): boolean {
  const [path = ''] = target.split('?');
  if (isMcpPath(path) || path === HEALTH || ASSETS.has(path) || NAMED_ASSETS.has(path)) return true;
  return findPage(method, path).kind !== 'not_found' || findApiRoute(method, path).kind !== 'none';
}

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { checkOptions } from '../../core/contract/options.ts';
import type { Service } from '../../core/service/service.ts';
import { type LivePages, livePages } from '../dashboard/live/live-pages.ts';
import type { AppSession } from '../dashboard/owners/app-session.ts';
import { brokenRequests } from '../http/broken-request.ts';
import { type HttpHandler, httpHandler } from '../http/http-handler.ts';
import type { ParseError } from '../http/last-response.ts';
import { answerMount } from '../mount/mount.ts';
import { MOUNT_OPTIONS, type MountOptions, planMount } from '../mount/options.ts';

export type {
  AccountFields,
  AccountServers,
  CalendarFields,
  FoundServer,
  FoundServers,
  ProbedServer,
  Security,
  ServerFields,
} from '../dashboard/accounts/account-fields.ts';
export type { LivePages } from '../dashboard/live/live-pages.ts';
export type { AppSession } from '../dashboard/owners/app-session.ts';
export type { Connect } from '../dashboard/visit.ts';
export type { HttpHandler } from '../http/http-handler.ts';
export type { ParseError } from '../http/last-response.ts';
export type { Door, MountOptions } from '../mount/options.ts';

export interface NodeHandlerOptions extends MountOptions {
  /**
   * The app's session of a request, instead of Countersign's own sign-in; null: nobody is signed in. It needs `signInUrl`
   * and `stepUpUrl`. With `attachUpgrade` it also gets upgrade requests, which no middleware of the app has seen.
   */
  session?(req: IncomingMessage): AppSession | null | Promise<AppSession | null>;
}

/** A handler for a server, and what else the server can use. */
export interface NodeHandler extends HttpHandler, LivePages {
  /**
   * A listener for `clientError`, for a server that serves nothing but the API. node:http rejects requests that it cannot
   * read before they reach a handler, for example with an invalid Content-Length. This listener answers them in the form
   * of the API and closes the connection. Failures that come earlier in the order of refusals are still reported first, if
   * the part of the head before the error arrived in the same packet.
   */
  readonly clientError: (error: ParseError, socket: Duplex) => void;
}

/**
 * REST, MCP and the owner's pages as one handler, for `node:http`, Express, Koa, Fastify, Nest and similar servers. It
 * answers every request that it receives. Below a path, the addresses of the service have the same path.
 * @throws Error naming the option and the remedy if an option is wrong
 */
export function nodeHandler(service: Service, options: NodeHandlerOptions = {}): NodeHandler {
  checkOptions('nodeHandler', options, { ...MOUNT_OPTIONS, session: ['optional', 'function'] });
  const plan = planMount('nodeHandler', service, options);
  let hasSockets = false;
  const answer = answerMount(service, options, plan, () => hasSockets);
  const handler = httpHandler(answer, options.session && ((req) => options.session?.(req)));
  const { session, log } = options;
  const live = livePages(service, {
    basePath: plan.basePath,
    ...(session && { session }),
    ...(log && { log }),
  });
  return Object.assign(handler, {
    clientError: brokenRequests(service, answer),
    attachUpgrade(server: Parameters<LivePages['attachUpgrade']>[0]) {
      if (!plan.doors.has('dashboard'))
        throw new Error('nodeHandler: attachUpgrade needs the door dashboard.');
      live.attachUpgrade(server);
      hasSockets = true;
    },
  });
}

import type { VNode } from 'preact';
import type { StoredSession } from '../../core/gate/session.ts';
import type { Demand } from '../../core/gate/step-up.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Owner } from '../../core/ports/owner-storage.ts';
import type { Service } from '../../core/service/service.ts';
import type { PublicBase } from '../http/public-base.ts';
import type { RequestHead } from '../http/request-head.ts';
import type { AccountFields, FoundServers } from './account-fields.ts';
import type { Cookies } from './cookies.ts';

export interface DashboardOptions {
  /**
   * Turns what the owner entered into the mail adapter's settings. Without it, accounts cannot be connected here, and
   * the page says so.
   * @throws ServiceError invalid_arguments if the adapter would reject the settings
   */
  readonly accountSettings?: (fields: AccountFields) => unknown;
  /**
   * Finds the servers of an address. The owner confirms them before entering a password. Without it, the owner enters
   * the servers.
   */
  readonly discover?: (email: string) => Promise<FoundServers>;
  /** Proxies that are trusted to report the caller's address: addresses, or networks such as `10.0.0.0/8`. */
  readonly trustedProxies?: readonly string[];
  /** Receives the dashboard's own failures. */
  readonly log?: Log;
}

/** One checked and parsed request, signed in or not. */
export interface Visit {
  readonly service: Service;
  readonly options: DashboardOptions;
  readonly cookies: Cookies;
  /** The dashboard's public addresses. */
  readonly base: PublicBase;
  readonly head: RequestHead;
  /** The dashboard's origin, as the caller's browser sees it. */
  readonly origin: string;
  readonly path: string;
  /** The caller's network address. */
  readonly address: string;
  /** What the route's pattern captured. */
  readonly param: string;
  readonly query: URLSearchParams;
  /** Empty except for a POST. */
  readonly fields: URLSearchParams;
}

/** One request of a signed-in owner. Forms get here only after `confirm.ts` let them through. */
export interface OwnerVisit extends Visit {
  readonly owner: Owner;
  readonly session: StoredSession;
  /** The token for the forms of the page. */
  readonly token: string;
}

/** What a form of a signed-in owner does, and how sensitive that is. */
export interface OwnerForm {
  /** For the owner, as on a button. */
  readonly does: string;
  readonly demand: Demand | ((visit: OwnerVisit) => Promise<Demand>);
  readonly act: (visit: OwnerVisit) => Promise<Reply>;
}

export type Reply = PageReply | RedirectReply;

type Headers = Readonly<Record<string, string | string[]>>;

export interface PageReply {
  readonly kind: 'page';
  readonly status: number;
  readonly title: string;
  readonly body: VNode;
  /** The page reloads itself after this time. */
  readonly refreshS?: number;
  /** The browser goes on to this address, of any host, at once. It must not come from anyone but the service. */
  readonly goTo?: string;
  readonly headers?: Headers;
}

export interface RedirectReply {
  readonly kind: 'redirect';
  /** A path on the dashboard, without its public base. */
  readonly to: string;
  readonly headers?: Headers;
}

export function page(title: string, body: VNode, status = 200): PageReply {
  return { kind: 'page', status, title, body };
}

export function redirect(to: string): RedirectReply {
  return { kind: 'redirect', to };
}

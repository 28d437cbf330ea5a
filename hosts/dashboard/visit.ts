import type { VNode } from 'preact';
import type { Log } from '../../core/ports/log.ts';
import type { Owner } from '../../core/ports/storage.ts';
import type { Service } from '../../core/service.ts';
import type { StoredSession } from '../../core/session.ts';
import type { Demand } from '../../core/step-up.ts';
import type { RequestHead } from '../http/request-head.ts';
import type { AccountFields, FoundServers } from './account-fields.ts';
import type { Cookies } from './cookies.ts';

export interface DashboardOptions {
  /**
   * Makes the mail adapter's settings of what the owner typed. Without it accounts cannot be connected here, and
   * the page says so.
   * @throws ServiceError invalid_arguments when the adapter would not take them
   */
  readonly accountSettings?: (fields: AccountFields) => unknown;
  /**
   * Looks for the servers of an address, to be shown to the owner, who confirms them before a password is asked for.
   * Without it they are typed by hand.
   */
  readonly discover?: (email: string) => Promise<FoundServers>;
  /** Proxies whose word about the caller's address is believed: addresses, or networks like `10.0.0.0/8`. */
  readonly trustedProxies?: readonly string[];
  /** Told of failures of our own. */
  readonly log?: Log;
}

/** One request of anybody, judged and read. */
export interface Visit {
  readonly service: Service;
  readonly options: DashboardOptions;
  readonly cookies: Cookies;
  readonly head: RequestHead;
  /** The dashboard's, as the caller's browser sees it. */
  readonly origin: string;
  readonly path: string;
  /** The caller's. */
  readonly address: string;
  /** What the route's pattern caught. */
  readonly param: string;
  readonly query: URLSearchParams;
  /** Empty but for a POST. */
  readonly fields: URLSearchParams;
}

/** One request of a signed-in owner. A page's form reaches it only once it was let through (`confirm.ts`). */
export interface OwnerVisit extends Visit {
  readonly owner: Owner;
  readonly session: StoredSession;
  /** For the forms of the page. */
  readonly token: string;
}

/** What a form of a signed-in owner does, and what it needs first. */
export interface OwnerForm {
  /** In the owner's words, as on a button. */
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
  /** The page asks for itself again after so long. */
  readonly refreshS?: number;
  readonly headers?: Headers;
}

export interface RedirectReply {
  readonly kind: 'redirect';
  /** A path of ours. */
  readonly to: string;
  readonly headers?: Headers;
}

export function page(title: string, body: VNode, status = 200): PageReply {
  return { kind: 'page', status, title, body };
}

export function redirect(to: string): RedirectReply {
  return { kind: 'redirect', to };
}

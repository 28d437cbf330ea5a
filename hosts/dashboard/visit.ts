import type { Readable } from 'node:stream';
import type { VNode } from 'preact';
import type { Owner } from '../../core/owners/owner-state.ts';
import type { Session, StoredSession } from '../../core/owners/session.ts';
import type { Demand } from '../../core/owners/step-up.ts';
import type { Log } from '../../core/ports/log.ts';
import type { RequestsNow } from '../../core/requests/request-watch.ts';
import type { Service } from '../../core/service/service.ts';
import type { PublicBase } from '../http/public-base.ts';
import type { RequestHead } from '../http/request-head.ts';
import type { AccountFields, AccountServers, FoundServers, ProbedServer } from './accounts/account-fields.ts';
import type { Cookies } from './cookies.ts';

/** How the owner connects a mailbox on the pages. */
export interface Connect {
  /**
   * Turns what the owner entered into the mail adapter's settings.
   * @throws ServiceError invalid_arguments if the adapter would reject the settings
   */
  readonly settings: (fields: AccountFields) => unknown;
  /**
   * Looks at the servers before the owner enters a password: whether they answer, and with which certificates. Without
   * it, the password is asked for at once.
   */
  readonly probe?: (servers: AccountServers) => Promise<readonly ProbedServer[]>;
  /**
   * Returns the settings of an account with another password. Without it, a password cannot be updated on the pages.
   * @throws ServiceError invalid_arguments if the adapter would reject them; Error if there is no password in them
   */
  readonly withPassword?: (settings: unknown, password: string) => unknown;
  /** Returns the settings of an account with another calendar for new events. Without it, the server's own is used. */
  readonly withCalendar?: (settings: unknown, calendar: string) => unknown;
  /** What the owner entered to get these settings. Without it, the form to change them starts empty. */
  readonly fieldsOf?: (settings: unknown) => AccountServers;
  /**
   * Finds the servers of an address. The owner confirms them before entering a password. Without it, the owner enters
   * the servers.
   */
  readonly discover?: (email: string) => Promise<FoundServers>;
}

/** Where the app signs its users in. Each is a path on the dashboard's origin, or a whole URL. */
export interface AppSignIn {
  /** Here a person signs in. The parameter `next` names the page to return to, as a path or as a whole URL. */
  readonly signInUrl: string;
  /** Here a signed-in person proves again who they are. `next` as above. */
  readonly stepUpUrl: string;
}

export interface DashboardOptions {
  /** Without it, accounts cannot be connected on the pages. */
  readonly connect?: Connect;
  /** The app's sign-in, instead of Countersign's own. */
  readonly appSignIn?: AppSignIn;
  /** Proxies that are trusted to report the caller's address: addresses, or networks such as `10.0.0.0/8`. */
  readonly trustedProxies?: readonly string[];
  /** Whether the server takes the sockets of open pages. Default: it does not, and pages ask now and then. */
  readonly hasSockets?: () => boolean;
  /** Receives the dashboard's own failures. */
  readonly log?: Log;
}

/**
 * One checked and parsed HTTP request to a page, signed in or not. In these rooms, a *request* is one of a key that waits
 * for the owner.
 */
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

/** The session of a signed-in owner: Countersign's own, or the app's. Pages never show anything of the app's. */
type VisitSession =
  | { readonly kind: 'own'; readonly stored: StoredSession }
  | { readonly kind: 'app'; readonly session: Session; readonly signIn: AppSignIn };

/** One request of a signed-in owner. Forms get here only after `confirm.ts` let them through. */
export interface OwnerVisit extends Visit {
  readonly owner: Owner;
  readonly session: VisitSession;
  /** The token for the forms of the page. */
  readonly token: string;
  /** When the owner proved their presence for this decision. Undefined: no proof was needed. */
  readonly provenAt?: Date;
  /** Read before anything else, so that the page is not older than its version. */
  readonly requests: RequestsNow;
}

/** Who sends a request: a signed-in owner, or somebody who gets this reply instead of a page. */
export type Visitor =
  | {
      readonly kind: 'owner';
      readonly visit: OwnerVisit;
      /** Whether this is the token of a form of this session. */
      readonly isFormToken: (token: string | null) => boolean;
    }
  | { readonly kind: 'stopped'; readonly reply: Reply };

/** What a form of a signed-in owner does, and how sensitive that is. */
export interface OwnerForm {
  /** For the owner, as on a button. */
  readonly does: string;
  readonly demand: Demand | ((visit: OwnerVisit) => Promise<Demand>);
  readonly act: (visit: OwnerVisit) => Promise<Reply>;
  /** The form decides what its page shows. This answers a press that came before anybody can have read the page. */
  readonly tooEarly?: (visit: OwnerVisit) => Promise<Reply>;
}

export type Reply = PageReply | RedirectReply | LeaveReply | DownloadReply;

type Headers = Readonly<Record<string, string | string[]>>;

export interface PageReply {
  readonly kind: 'page';
  readonly status: number;
  readonly title: string;
  readonly body: VNode;
  /** The page refreshes itself after this time. A page that answers a form must not: its address takes no GET. */
  readonly refreshS?: number;
  /** The page shows requests, so it refreshes itself when they change. A page that answers a form must not. */
  readonly showsRequests?: boolean;
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

/** Sends the browser to a page of the app, or to another address of the dashboard. */
export interface LeaveReply {
  readonly kind: 'leave';
  /** A path on the dashboard's origin, or a whole URL that comes from the options. */
  readonly to: string;
  readonly headers?: Headers;
}

/** A file for the owner to keep. */
export interface DownloadReply {
  readonly kind: 'download';
  readonly headers: Headers;
  readonly content: Readable;
}

export function page(title: string, body: VNode, status = 200): PageReply {
  return { kind: 'page', status, title, body };
}

export function redirect(to: string): RedirectReply {
  return { kind: 'redirect', to };
}

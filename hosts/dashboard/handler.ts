import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, ServiceError } from '../../core/contract/errors.ts';
import { errorName } from '../../core/ports/log.ts';
import type { Service } from '../../core/service/service.ts';
import { clientAddress, trustedProxies } from '../http/client-address.ts';
import { leakedKeys } from '../http/leaked-keys.ts';
import { type PublicBase, publicBase } from '../http/public-base.ts';
import { headOf, type RequestHead, targetOf } from '../http/request-head.ts';
import { transportSecurity } from '../http/transport-security.ts';
import { ASSETS, SCRIPT_PATH } from './assets.ts';
import { checkForm } from './confirm.ts';
import { DEVICE_S, dashboardCookies } from './cookies.ts';
import { formToken, formTokenMatches } from './csrf.ts';
import { type FormBody, readForm } from './form-body.ts';
import { documentOf } from './layout.tsx';
import { notFoundPage, problemPage, staleFormPage } from './pages/problem.tsx';
import { checkRequest, type Verdict } from './request-guard.ts';
import { findRoute } from './routes.ts';
import { sessionOf } from './session.ts';
import { type DashboardOptions, type OwnerVisit, type PageReply, type Reply, redirect } from './visit.ts';

/** @param script  the allowed source of scripts */
const securityHeaders = (script: string) => ({
  // The style sheet embeds small images as data: URLs. Nothing is loaded from elsewhere.
  'content-security-policy': [
    "default-src 'none'",
    `script-src ${script}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Other sites learn nothing. With `no-referrer`, browsers would send `Origin: null` with the dashboard's own forms.
  'referrer-policy': 'same-origin',
});

const LEAKED = 'Never put a key in a URL: others can read it there. If the key was live, it is now revoked.';

const NO_FORM: FormBody = { kind: 'read', fields: new URLSearchParams() };

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
}

/**
 * The owner's pages, as a handler for node:http and compatible servers. It reads form bodies itself, so nothing may read
 * the body before it.
 */
export function dashboardHandler(
  service: Service,
  options: DashboardOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  const base = publicBase(service.dashboardUrl);
  const cookies = dashboardCookies(service.dashboardUrl);
  const secureTransport = transportSecurity(service.dashboardUrl);
  const isTrusted = trustedProxies(options.trustedProxies ?? []);

  async function answerTo(request: IncomingMessage, head: RequestHead, verdict: Verdict): Promise<Answer> {
    const leaked = await revokeLeaked(head, service);
    if (verdict.kind === 'misdirected') {
      return closing(problemPage(421, 'Wrong address', `The dashboard is at ${service.dashboardUrl}.`));
    }
    if (verdict.kind === 'foreign') {
      return closing(problemPage(403, 'Nothing was done', 'Another site sent this form.'));
    }
    if (leaked) return closing(problemPage(400, 'A key in the URL', LEAKED));
    const { origin } = verdict;
    const { path, query } = targetOf(head);
    const asset = ASSETS.get(path);
    if (asset !== undefined) {
      const headers = { 'content-type': asset.type, 'cache-control': 'public, max-age=31536000, immutable' };
      return { status: 200, headers, body: asset.body };
    }
    const found = findRoute(head.method, path);
    if (found.kind === 'not_found') return answerWith(notFoundPage());
    if (found.kind === 'wrong_method') {
      const reply = problemPage(405, 'Nothing was done', 'This page does not support that request method.');
      return closing({ ...reply, headers: { allow: found.allow } });
    }
    const form = head.method === 'POST' ? await readForm(request) : NO_FORM;
    if (form.kind === 'too_large')
      return closing(problemPage(413, 'Nothing was done', 'The form is too large.'));
    if (form.kind === 'not_a_form')
      return closing(problemPage(415, 'Nothing was done', 'This is not a form.'));
    const { fields } = form;
    const address = clientAddress(head, isTrusted);
    const details = { head, origin, path, address, param: found.param, query, fields };
    const visit = { service, options, cookies, base, ...details };
    if (found.kind === 'anyone') return answerWith(await found.act(visit));
    const signedIn = await sessionOf(visit);
    if (signedIn === undefined) return answerWith(redirect(signInPath(head.method, path)));
    const { secret, owner, session } = signedIn;
    const ownerVisit = { ...visit, owner, session, token: formToken(secret) };
    if (found.kind === 'page') return answerWith(await found.act(ownerVisit), path, ownerVisit);
    if (!formTokenMatches(secret, fields.get('form_token'))) return answerWith(staleFormPage());
    const passed = await checkForm(ownerVisit, found.form);
    if (passed.kind === 'stopped') return answerWith(passed.reply, path, passed.visit);
    const reply = await found.form.act(passed.visit);
    if (passed.device === undefined) return answerWith(reply, path, passed.visit);
    const device = cookies.set(cookies.device, passed.device, DEVICE_S);
    return answerWith(withCookie(reply, device), path, passed.visit);
  }

  function answerWith(reply: Reply, path = '', visitor?: OwnerVisit): Answer {
    if (reply.kind === 'redirect') {
      return { status: 303, headers: { location: base.path(reply.to), ...reply.headers }, body: '' };
    }
    const { title, refreshS, goTo, body } = reply;
    return {
      status: reply.status,
      headers: { 'content-type': 'text/html; charset=utf-8', ...reply.headers },
      body: documentOf({ title, path, visitor, refreshS, goTo, body, base }),
    };
  }

  /** Closes the connection after the answer, for requests whose body may be unread. */
  function closing(reply: PageReply): Answer {
    const answer = answerWith(reply);
    return { ...answer, headers: { ...answer.headers, connection: 'close' } };
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const head = headOf(request);
    const verdict = checkRequest(head, service.dashboardUrl);
    let answer: Answer;
    try {
      answer = await answerTo(request, head, verdict);
    } catch (error) {
      // The caller left before sending everything, so there is nobody to answer.
      if (request.destroyed && !request.complete) return void response.destroy();
      const { reply, code } = replyTo(error);
      if (reply.status >= 500)
        options.log?.error('a dashboard page failed', { method: request.method, code });
      answer = closing(reply);
    }
    response.writeHead(answer.status, {
      ...securityHeaders(scriptSource(verdict, base)),
      ...secureTransport,
      'cache-control': 'no-store',
      ...answer.headers,
    });
    response.end(request.method === 'HEAD' ? undefined : answer.body);
  }

  return (request, response) => {
    respond(request, response).catch((error: unknown) => {
      // The response itself could not be written. All that is left is to close the connection.
      options.log?.error('a dashboard answer could not be written', errorName(error));
      response.destroy();
    });
  };
}

/** Revokes any keys in the request's URL, whatever else is wrong with the request: they are no longer safe. */
async function revokeLeaked(head: RequestHead, service: Service): Promise<boolean> {
  const leaked = leakedKeys(head.target);
  for (const key of leaked) await service.keys.revokeLeaked(key);
  return leaked.length > 0;
}

/** The full URL of the dashboard's only script. The policy syntax cannot express an IPv6 address. */
function scriptSource(verdict: Verdict, base: PublicBase): string {
  if (verdict.kind === 'misdirected') return "'none'";
  const { host } = new URL(verdict.origin);
  return host.startsWith('[') ? "'self'" : `${host}${base.path(SCRIPT_PATH)}`;
}

/** Returns to the page after signing in. A form that came after the session ended is not repeated. */
function signInPath(method: string, path: string): string {
  return method === 'POST' || path === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(path)}`;
}

function withCookie(reply: Reply, cookie: string): Reply {
  const own = reply.headers?.['set-cookie'] ?? [];
  return { ...reply, headers: { ...reply.headers, 'set-cookie': [cookie, ...[own].flat()] } };
}

const STATUS: Partial<Record<ErrorCode, number>> = {
  not_found: 404,
  invalid_arguments: 422,
  rate_limited: 429,
  busy: 429,
  temporarily_unavailable: 503,
  unavailable: 503,
};

function replyTo(error: unknown): { reply: PageReply; code: string } {
  if (!(error instanceof ServiceError)) {
    const text = 'The service failed. Your change may or may not have been made: check before you repeat it.';
    return { reply: problemPage(500, 'Something went wrong', text), code: errorName(error).error };
  }
  const { code } = error;
  if (code === 'not_found') return { reply: notFoundPage(), code };
  return { reply: problemPage(STATUS[code] ?? 500, 'That did not work', error.message), code };
}

import { type ErrorCode, ServiceError } from '../../core/contract/errors.ts';
import { errorName } from '../../core/ports/log.ts';
import type { Service } from '../../core/service/service.ts';
import { clientAddress, trustedProxies } from '../http/client-address.ts';
import { leakedKeys, revokeLeakedKeys } from '../http/leaked-keys.ts';
import { type PublicBase, publicBase } from '../http/public-base.ts';
import { BodyLost, BodyTaken } from '../http/read-body.ts';
import type { Reply as HttpReply } from '../http/reply.ts';
import type { AnswerRequest, ReadBody } from '../http/request.ts';
import { headerOf, type RequestHead, targetOf } from '../http/request-head.ts';
import { transportSecurity } from '../http/transport-security.ts';
import { ASSETS, MANIFEST_PATH, NAMED_ASSETS, SCRIPT_PATH, WORKER_PATH } from './assets.ts';
import { DEVICE_S, dashboardCookies } from './cookies.ts';
import { type FormBody, readForm } from './forms/form-body.ts';
import { wasShown } from './forms/shown-since.tsx';
import { documentOf } from './layout.tsx';
import { REFRESH_HEADER, SOCKET_PATH } from './live/live-protocol.ts';
import { appVisitor } from './owners/app-session.ts';
import { checkForm } from './owners/confirm.ts';
import { ownVisitor } from './owners/session.ts';
import { notFoundPage, problemPage, staleFormPage } from './problem.tsx';
import { checkRequest, type Verdict } from './request-guard.ts';
import { findRoute } from './routes.ts';
import type { AppSignIn, DashboardOptions, OwnerVisit, PageReply, Reply } from './visit.ts';

/** @param sources  the allowed sources, and targets of forms */
const securityHeaders = (sources: {
  readonly script: string;
  readonly worker: string;
  readonly manifest: string;
  readonly connections: string;
  readonly forms: string;
}) => ({
  // The style sheet embeds small images as data: URLs. Nothing is loaded from elsewhere.
  'content-security-policy': [
    "default-src 'none'",
    `script-src ${sources.script}`,
    `worker-src ${sources.worker}`,
    `manifest-src ${sources.manifest}`,
    `connect-src ${sources.connections}`,
    "style-src 'self'",
    "img-src 'self' data:",
    `form-action ${sources.forms}`,
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

/**
 * The owner's pages.
 * @throws Error naming the option if an option is wrong
 */
export function ownerPages(service: Service, options: DashboardOptions = {}): AnswerRequest {
  const base = publicBase(service.dashboardUrl);
  const cookies = dashboardCookies(service.dashboardUrl);
  const secureTransport = transportSecurity(service.dashboardUrl);
  const isTrusted = trustedProxies(options.trustedProxies ?? []);
  const formTargets = formTargetsOf(options.appSignIn);

  async function answerTo(
    head: RequestHead,
    readBody: ReadBody,
    readSession: () => unknown,
    verdict: Verdict,
  ): Promise<HttpReply> {
    const leaked = leakedKeys(head.target);
    // Whatever else is wrong with the request: they are no longer safe.
    await revokeLeakedKeys(service, leaked);
    if (verdict.kind === 'misdirected') {
      const text = `The dashboard is at ${service.dashboardUrl} (the setting dashboardUrl).`;
      return answerWith(problemPage(421, 'Wrong address', text));
    }
    if (verdict.kind === 'foreign') {
      return answerWith(problemPage(403, 'Nothing was done', 'Another site sent this form.'));
    }
    if (leaked.length > 0) return answerWith(problemPage(400, 'A key in the URL', LEAKED));
    const { origin } = verdict;
    const { path, query } = targetOf(head);
    const asset = ASSETS.get(path);
    if (asset !== undefined) {
      const headers = { 'content-type': asset.type, 'cache-control': 'public, max-age=31536000, immutable' };
      return { status: 200, headers, body: asset.body };
    }
    const named = NAMED_ASSETS.get(path);
    if (named !== undefined) {
      const headers = { 'content-type': named.type, 'cache-control': 'no-cache' };
      return { status: 200, headers, body: named.body };
    }
    const found = findRoute(head.method, path);
    if (found.kind === 'not_found') return answerWith(notFoundPage());
    if (found.kind === 'wrong_method') {
      const reply = problemPage(405, 'Nothing was done', 'This page does not support that request method.');
      return answerWith({ ...reply, headers: { allow: found.allow } });
    }
    const form = head.method === 'POST' ? await readForm(head, readBody) : NO_FORM;
    if (form.kind === 'too_large')
      return answerWith(problemPage(413, 'Nothing was done', 'The form is too large.'));
    if (form.kind === 'not_a_form')
      return answerWith(problemPage(415, 'Nothing was done', 'This is not a form.'));
    const { fields } = form;
    const address = clientAddress(head, isTrusted);
    const details = { head, origin, path, address, param: found.param, query, fields };
    const visit = { service, options, cookies, base, ...details };
    if (found.kind === 'anyone') return answerWith(await found.act(visit));
    const visitor =
      options.appSignIn === undefined
        ? await ownVisitor(visit)
        : await appVisitor(visit, options.appSignIn, readSession);
    if (visitor.kind === 'stopped') return answerWith(visitor.reply);
    const { owner, requests } = visitor.visit;
    // Before the page reads what waits: what comes meanwhile may not be on it.
    if (requests.waiting > 0 && !isRefresh(head)) await service.notices.looked(owner.ownerId);
    if (found.kind === 'page') return answerWith(await found.act(visitor.visit), path, visitor.visit);
    if (!visitor.isFormToken(fields.get('form_token'))) return answerWith(staleFormPage());
    if (found.form.tooEarly !== undefined && !wasShown(visitor.visit)) {
      return answerWith(await found.form.tooEarly(visitor.visit), path, visitor.visit);
    }
    const passed = await checkForm(visitor.visit, found.form);
    if (passed.kind === 'stopped') return answerWith(passed.reply, path, passed.visit);
    const reply = await found.form.act(passed.visit);
    if (passed.device === undefined) return answerWith(reply, path, passed.visit);
    const device = cookies.set(cookies.device, passed.device, DEVICE_S);
    return answerWith(withCookie(reply, device), path, passed.visit);
  }

  function answerWith(reply: Reply, path = '', visitor?: OwnerVisit): HttpReply {
    if (reply.kind === 'download') {
      return { status: 200, headers: reply.headers, body: '', rest: reply.content };
    }
    if (reply.kind !== 'page') {
      const location = reply.kind === 'leave' ? reply.to : base.path(reply.to);
      return { status: 303, headers: { location, ...reply.headers }, body: '' };
    }
    const { title, refreshS, showsRequests, goTo, body } = reply;
    const hasSockets = options.hasSockets?.() === true;
    return {
      status: reply.status,
      headers: { 'content-type': 'text/html; charset=utf-8', ...reply.headers },
      body: documentOf({ title, path, visitor, hasSockets, refreshS, showsRequests, goTo, body, base }),
    };
  }

  return async (head, readBody, _gone, readSession = NO_SESSION) => {
    const verdict = checkRequest(head, service.dashboardUrl);
    let answer: HttpReply;
    try {
      answer = await answerTo(head, readBody, readSession, verdict);
    } catch (error) {
      // The caller left before sending everything, so there is nobody to answer.
      if (error instanceof BodyLost) return undefined;
      const reply = replyTo(error, head.method);
      if (reply.status >= 500)
        options.log?.error('a dashboard page failed', { method: head.method, ...errorName(error) });
      answer = answerWith(reply);
    }
    const headers = {
      ...securityHeaders({
        script: fileSource(verdict, base, SCRIPT_PATH),
        worker: fileSource(verdict, base, WORKER_PATH),
        manifest: fileSource(verdict, base, MANIFEST_PATH),
        connections: connectionSources(verdict, base),
        forms: formTargets,
      }),
      ...secureTransport,
      'cache-control': 'no-store',
      ...answer.headers,
    };
    return { ...answer, headers };
  };
}

/** Whether an open page fetches itself again. Nobody may be looking at it. */
function isRefresh(head: RequestHead): boolean {
  return headerOf(head, REFRESH_HEADER) !== undefined;
}

const NO_SESSION = () => null;

/** The full URL of one file of the dashboard. The policy syntax cannot express an IPv6 address. */
function fileSource(verdict: Verdict, base: PublicBase, path: string): string {
  if (verdict.kind === 'misdirected') return "'none'";
  const { host } = new URL(verdict.origin);
  return host.startsWith('[') ? "'self'" : `${host}${base.path(path)}`;
}

/** The pages of the dashboard, which the script fetches again, and their socket. */
function connectionSources(verdict: Verdict, base: PublicBase): string {
  if (verdict.kind === 'misdirected') return "'none'";
  const { protocol, host } = new URL(verdict.origin);
  if (host.startsWith('[')) return "'self'";
  return `${host}${base.path('/')} ${protocol.replace('http', 'ws')}//${host}${base.path(SOCKET_PATH)}`;
}

/** A form may lead to the app's pages, where the person signs in or proves who they are. */
function formTargetsOf(signIn: AppSignIn | undefined): string {
  const urls = signIn === undefined ? [] : [signIn.signInUrl, signIn.stepUpUrl];
  const origins = urls.filter((url) => !url.startsWith('/')).map((url) => new URL(url).origin);
  return ["'self'", ...new Set(origins)].join(' ');
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

function replyTo(error: unknown, method: string): PageReply {
  if (error instanceof BodyTaken) return problemPage(500, 'Nothing was done', error.message);
  if (!(error instanceof ServiceError)) return failedPage(500, method);
  if (error.code === 'not_found') return notFoundPage();
  const status = STATUS[error.code] ?? 500;
  if (status === 503) return failedPage(status, method);
  return problemPage(status, 'That did not work', error.message);
}

/** Says what the owner can do after a failure of the service or its storage. */
function failedPage(status: number, method: string): PageReply {
  const why =
    status === 503
      ? 'Countersign cannot reach its storage right now, or is being restarted.'
      : 'Countersign failed.';
  if (method === 'GET' || method === 'HEAD') {
    const text = `${why} Nothing was changed, and what waits for you keeps waiting. Load the page again in a moment.`;
    return problemPage(status, 'This page could not be loaded', text);
  }
  const text = `${why} What you sent may or may not have been done. Check before you repeat it.`;
  return problemPage(status, 'Something went wrong', text);
}

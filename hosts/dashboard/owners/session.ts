import type { Owner } from '../../../core/owners/owner-state.ts';
import type { StoredSession } from '../../../core/owners/session.ts';
import type { SignedIn } from '../../../core/owners/sessions.ts';
import { ownAddress } from '../../http/host-name.ts';
import { headerOf } from '../../http/request-head.ts';
import { answerAtOwnAddress } from '../accounts/provider-answer.ts';
import { newSessionFacts } from '../browser-facts.ts';
import { DEVICE_S, readCookie } from '../cookies.ts';
import { formToken, formTokenMatches } from '../forms/csrf.ts';
import { notFoundPage, staleFormPage } from '../problem.tsx';
import { type OwnerVisit, type Reply, redirect, type Visit, type Visitor } from '../visit.ts';
import { challengeBinding, PASSKEY_FIELD, passkeyPlace } from './passkeys.tsx';
import { limitTries, tooManyTries } from './password-tries.ts';
import { secondStepPage } from './second-step.tsx';
import { safeNext, signInPage } from './sign-in.tsx';
import { visitorToken, withVisitorToken } from './visitor-token.ts';

/** The signed-in owner of this request, or the redirect to the sign-in page. */
export async function ownVisitor(visit: Visit): Promise<Visitor> {
  const signedIn = await sessionOf(visit);
  if (signedIn === undefined)
    return { kind: 'stopped', reply: answerAtOwnAddress(visit) ?? redirect(signInPath(visit)) };
  const { secret, owner, session } = signedIn;
  return {
    kind: 'owner',
    visit: {
      ...visit,
      owner,
      session: { kind: 'own', stored: session },
      token: formToken(secret),
      requests: await visit.service.approvals.now(owner.ownerId),
    },
    isFormToken: (token) => formTokenMatches(secret, token),
  };
}

/** Returns to the page after signing in. A form that came after the session ended is not repeated. */
function signInPath({ head: { method }, path }: Visit): string {
  return method === 'POST' || path === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(path)}`;
}

export async function sessionOf({
  service,
  head,
  cookies,
}: Pick<Visit, 'service' | 'head' | 'cookies'>): Promise<
  { secret: string; owner: Owner; session: StoredSession } | undefined
> {
  const secret = readCookie(headerOf(head, 'cookie'), cookies.session);
  if (secret === undefined) return undefined;
  const found = await service.sessions.find(secret);
  return found === undefined ? undefined : { secret, ...found };
}

export async function showSignIn(visit: Visit): Promise<Reply> {
  const { query, options, service } = visit;
  if (options.appSignIn !== undefined) return notFoundPage();
  const next = safeNext(query.get('next'));
  if ((await sessionOf(visit)) !== undefined) return redirect(next);
  const isUnclaimed = (await service.owners.list({ limit: 1 })).owners.length === 0;
  return withVisitorToken(visit, (token) =>
    signInPage({ ...signInShown(visit, token, next), isUnclaimed, notice: query.get('notice') }),
  );
}

/** Every sign-in creates a new session and ends the browser's previous one. */
export async function signIn(visit: Visit): Promise<Reply> {
  const { service, fields, options } = visit;
  if (options.appSignIn !== undefined) return notFoundPage();
  const token = visitorToken(visit);
  if (token === undefined) return staleFormPage();
  const email = fields.get('email')?.trim() ?? '';
  const password = fields.get('password') ?? '';
  const next = safeNext(fields.get('next'));
  const again = { ...signInShown(visit, token, next), email };
  const attempt = { email, password, ...newSessionFacts(visit) };
  const check = await limitTries(() => service.sessions.signIn(attempt));
  if (check.kind === 'too_many') return tooManyTries(check, (shown) => signInPage({ ...again, ...shown }));
  if (check.result === undefined) {
    return signInPage({ ...again, problem: 'Email and password do not match.', status: 422 });
  }
  if (check.result.kind === 'second_step') {
    return secondStepPage({ token, next, passkey: again.passkey, ticket: check.result.ticket });
  }
  return startSession(visit, check.result, next);
}

/** Sends a reload of a later step back to the start, because that page only answers the form before it. */
export async function showSecondStep({ options }: Visit): Promise<Reply> {
  return options.appSignIn === undefined ? redirect('/sign-in') : notFoundPage();
}

/** Checks what the owner shows besides the password. */
export async function finishSignIn(visit: Visit): Promise<Reply> {
  const { service, fields, options } = visit;
  if (options.appSignIn !== undefined) return notFoundPage();
  const token = visitorToken(visit);
  if (token === undefined) return staleFormPage();
  const ticket = fields.get('ticket') ?? '';
  const next = safeNext(fields.get('next'));
  const { passkey } = signInShown(visit, token, next);
  const again = { token, next, passkey, ticket };
  const attempt = { ticket, code: fields.get('code') ?? '', ...newSessionFacts(visit) };
  const check = await limitTries(() => service.sessions.finishSignIn(attempt));
  if (check.kind === 'too_many') {
    return tooManyTries(check, (shown) => secondStepPage({ ...again, ...shown }));
  }
  if (check.result === 'wrong_code') {
    return secondStepPage({ ...again, problem: WRONG_CODE, status: 422 });
  }
  if (check.result === 'over') {
    const problem = 'That took too long, or your password was changed. Sign in again.';
    return signInPage({ ...signInShown(visit, token, next), problem, status: 422 });
  }
  return startSession(visit, check.result, next);
}

/** Signs in with a passkey alone. */
export async function signInWithPasskey(visit: Visit): Promise<Reply> {
  const { service, fields, options } = visit;
  if (options.appSignIn !== undefined) return notFoundPage();
  const token = visitorToken(visit);
  const place = passkeyPlace(visit);
  if (token === undefined) return staleFormPage();
  if (place === undefined) return notFoundPage();
  const next = safeNext(fields.get('next'));
  const attempt = {
    place,
    answer: fields.get(PASSKEY_FIELD) ?? '',
    binding: challengeBinding('sign_in', token),
    ...newSessionFacts(visit),
  };
  const check = await limitTries(() => service.sessions.signInWithPasskey(attempt));
  const again = signInShown(visit, token, next);
  if (check.kind === 'too_many') return tooManyTries(check, (shown) => signInPage({ ...again, ...shown }));
  if (check.result === undefined) return signInPage({ ...again, problem: WRONG_PASSKEY, status: 422 });
  return startSession(visit, check.result, next);
}

/** What both pages of signing in show. @param token  of the form, which ties it to the browser */
function signInShown(visit: Visit, token: string, next: string) {
  const place = passkeyPlace(visit);
  const passkey = place && {
    place,
    challenge: visit.service.secondSteps.challenge(challengeBinding('sign_in', token)),
  };
  return { token, next, saferAddress: saferAddress(visit, next), passkey };
}

export const WRONG_PASSKEY =
  'The passkey is not one of yours here, or the page was open for too long. Try again.';

export const WRONG_CODE = 'The code is wrong, or was used before. Wait for the next one.';

/** Starts a session in place of the browser's previous one, and goes on to a page. */
export async function startSession(visit: Visit, signedIn: SignedIn, next: string): Promise<Reply> {
  const { service, cookies } = visit;
  const before = await sessionOf(visit);
  if (before !== undefined) await service.sessions.end(before.owner.ownerId, before.session.id);
  return {
    ...redirect(next),
    headers: {
      'set-cookie': [
        cookies.set(cookies.session, signedIn.session, signedIn.lastsS),
        cookies.set(cookies.device, signedIn.device, DEVICE_S),
        cookies.clear(cookies.signIn),
      ],
    },
  };
}

export async function signOut({ service, cookies, owner, session }: OwnerVisit): Promise<Reply> {
  if (session.kind === 'app') return notFoundPage();
  await service.sessions.end(owner.ownerId, session.stored.id);
  return { ...redirect('/sign-in'), headers: { 'set-cookie': cookies.clear(cookies.session) } };
}

function saferAddress({ service, origin }: Visit, next: string): string | undefined {
  const own = ownAddress(service.dashboardUrl);
  return own === undefined || own === origin ? undefined : `${own}${next}`;
}

import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import type { Owner } from '../../core/ports/storage.ts';
import { headerOf } from '../http/request-head.ts';
import { readCookie } from './cookies.ts';
import { formToken, formTokenMatches } from './csrf.ts';
import { staleFormPage } from './pages/problem.tsx';
import { safeNext, signInPage } from './pages/sign-in.tsx';
import { type OwnerVisit, type Reply, redirect, type Visit } from './visit.ts';

/** How long a browser is remembered: the longest that Chrome keeps a cookie. Every sign-in begins it anew. */
const DEVICE_S = 400 * 24 * 60 * 60;

/** Who is signed in with this request, if anybody is. */
export async function sessionOf({
  service,
  head,
  cookies,
}: Visit): Promise<{ secret: string; owner: Owner } | undefined> {
  const secret = readCookie(headerOf(head, 'cookie'), cookies.session);
  if (secret === undefined) return undefined;
  const owner = await service.owners.session(secret);
  return owner === undefined ? undefined : { secret, owner };
}

export async function showSignIn(visit: Visit): Promise<Reply> {
  const { head, cookies, query } = visit;
  const next = safeNext(query.get('next'));
  if ((await sessionOf(visit)) !== undefined) return redirect(next);
  const known = readCookie(headerOf(head, 'cookie'), cookies.signIn);
  const secret = known ?? randomBytes(16).toString('base64url');
  const shown = signInPage({ token: formToken(secret), next });
  return known === undefined
    ? { ...shown, headers: { 'set-cookie': cookies.set(cookies.signIn, secret) } }
    : shown;
}

/** A session always begins with a new token; one that the browser still had ends. */
export async function signIn({ service, head, address, cookies, fields }: Visit): Promise<Reply> {
  const secret = readCookie(headerOf(head, 'cookie'), cookies.signIn);
  if (secret === undefined || !formTokenMatches(secret, fields.get('form_token'))) return staleFormPage();
  const email = fields.get('email')?.trim() ?? '';
  const password = fields.get('password') ?? '';
  const next = safeNext(fields.get('next'));
  const again = { token: formToken(secret), next, email };
  let signedIn: Awaited<ReturnType<typeof service.owners.signIn>>;
  try {
    const device = readCookie(headerOf(head, 'cookie'), cookies.device);
    signedIn = await service.owners.signIn({ email, password, address, device });
  } catch (error) {
    if (!(error instanceof ServiceError) || !(error.code === 'rate_limited' || error.code === 'busy')) {
      throw error;
    }
    const waitS = Number(error.details?.retry_after_s ?? 60);
    const why = error.code === 'busy' ? 'Many passwords are being checked right now.' : 'Too many tries.';
    const problem = `${why} You can try again in ${durationText(waitS)}.`;
    return { ...signInPage({ ...again, problem, status: 429 }), headers: { 'retry-after': String(waitS) } };
  }
  if (signedIn === undefined) {
    return signInPage({ ...again, problem: 'Email and password do not match.', status: 422 });
  }
  const before = readCookie(headerOf(head, 'cookie'), cookies.session);
  if (before !== undefined) await service.owners.signOut(before);
  return {
    ...redirect(next),
    headers: {
      'set-cookie': [
        cookies.set(cookies.session, signedIn.session),
        cookies.set(cookies.device, signedIn.device, DEVICE_S),
        cookies.clear(cookies.signIn),
      ],
    },
  };
}

export async function signOut({ service, cookies, session }: OwnerVisit): Promise<Reply> {
  await service.owners.signOut(session);
  return { ...redirect('/sign-in'), headers: { 'set-cookie': cookies.clear(cookies.session) } };
}

function durationText(seconds: number): string {
  if (seconds > 90) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

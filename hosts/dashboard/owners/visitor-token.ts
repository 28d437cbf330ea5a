import { randomBytes } from 'node:crypto';
import { headerOf } from '../../http/request-head.ts';
import { readCookie } from '../cookies.ts';
import { formToken, formTokenMatches } from '../forms/csrf.ts';
import type { PageReply, Visit } from '../visit.ts';

/** Shows a page with a form to somebody without a session: its token belongs to a cookie of this browser. */
export function withVisitorToken({ head, cookies }: Visit, shown: (token: string) => PageReply): PageReply {
  const known = readCookie(headerOf(head, 'cookie'), cookies.signIn);
  const secret = known ?? randomBytes(16).toString('base64url');
  const reply = shown(formToken(secret));
  if (known !== undefined) return reply;
  return { ...reply, headers: { ...reply.headers, 'set-cookie': cookies.set(cookies.signIn, secret) } };
}

/** The token of a form that this browser got from `withVisitorToken`. Undefined: another browser got it, or none. */
export function visitorToken({ head, cookies, fields }: Visit): string | undefined {
  const secret = readCookie(headerOf(head, 'cookie'), cookies.signIn);
  const token = fields.get('form_token');
  return secret !== undefined && formTokenMatches(secret, token) ? formToken(secret) : undefined;
}

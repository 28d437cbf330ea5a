import type { Sessions } from '../core/owners/sessions.ts';

/** The token of the session that a sign-in started. @throws Error if it started none */
export function sessionToken(end: Awaited<ReturnType<Sessions['signIn']>>): string {
  if (end?.kind !== 'signed_in') throw new Error(`nobody was signed in: ${end?.kind}`);
  return end.session;
}

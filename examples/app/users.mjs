// The users and sessions of an app. Yours already has its own. The examples of the frameworks share these.
import { randomBytes, randomUUID } from 'node:crypto';

export const user = {
  id: 'user-17',
  email: 'grace@example.org',
  password: randomBytes(12).toString('base64url'),
};

/** By the value of the app's cookie. */
const sessions = new Map();

/** Starts a session. Returns its Set-Cookie header, or undefined if email and password do not match. */
export function signIn({ email, password }) {
  if (email !== user.email || password !== user.password) return undefined;
  const cookie = randomBytes(32).toString('base64url');
  sessions.set(cookie, { ownerId: user.id, sessionId: randomUUID(), authenticatedAt: new Date() });
  return `app=${cookie}; Path=/; HttpOnly; SameSite=Lax`;
}

/** What Countersign needs: the session of a request, or null. */
export function sessionOf(cookieHeader) {
  return sessions.get(/(?:^|; )app=([\w-]+)/.exec(cookieHeader ?? '')?.[1]) ?? null;
}

/** The person proves again who they are. Returns whether the password is right. */
export function confirm(cookieHeader, { password }) {
  const session = sessionOf(cookieHeader);
  if (session === null || password !== user.password) return false;
  session.authenticatedAt = new Date();
  return true;
}

/** Only paths of this app: `next` comes from the URL. */
export function safeNext(next) {
  return /^\/(?![/\\])[\w/.-]*$/.test(next ?? '') ? next : '/';
}

/** @param path  `/login` or `/confirm` */
export function passwordPage(path, next) {
  const email = path === '/login' ? '<label>Email <input name="email" type="email"></label>' : '';
  return `<!doctype html><title>The app</title><form method="post" action="${path}">${email}
    <label>Password <input name="password" type="password"></label>
    <input type="hidden" name="next" value="${safeNext(next)}"><button>Continue</button></form>`;
}

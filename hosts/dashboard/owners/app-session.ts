import * as z from 'zod';
import { errorName } from '../../../core/ports/log.ts';
import type { Service } from '../../../core/service/service.ts';
import { problemPage } from '../problem.tsx';
import { pageBehind } from '../routes.ts';
import type { AppSignIn, LeaveReply, Reply, Visit, Visitor } from '../visit.ts';

/** A session of the app, as its `session` hook returns it. */
export interface AppSession {
  /** The owner that the app created for this person. */
  readonly ownerId: string;
  /** The same during the whole session, and different in every other one. Forms work in the session that showed them. */
  readonly sessionId: string;
  /** When the person last proved who they are, for example by password. */
  readonly authenticatedAt: Date;
}

const appSession = z
  .object({ ownerId: z.string().min(1), sessionId: z.string().min(1), authenticatedAt: z.date() })
  .nullable();

/** A hook that takes longer would hold a page open while the app is in trouble. */
const HOOK_WITHIN_MS = 5000;

/**
 * Returns the signed-in owner of this request by the app's hook. Without a session, sends the browser to the app's
 * sign-in. If the hook fails, the page says so and nothing is done.
 */
export async function appVisitor(
  visit: Visit,
  signIn: AppSignIn,
  readSession: () => unknown,
): Promise<Visitor> {
  const { service, options } = visit;
  const read = await readWithin(readSession);
  if (read.kind === 'failed') {
    options.log?.error('the session hook of the app failed', { reason: read.reason, error: read.error });
    return stopped(problemPage(503, 'Not available', HOOK_FAILED));
  }
  if (read.session === null) return stopped(leaveFor(signIn.signInUrl, visit));
  const { ownerId, sessionId, authenticatedAt } = read.session;
  const owner = await service.owners.byId(ownerId);
  if (owner === undefined) {
    options.log?.warn('the session hook of the app named an unknown owner');
    return stopped(problemPage(403, 'No access', UNKNOWN_OWNER));
  }
  const session = { id: sessionId, ownerId, authenticatedAt };
  return {
    kind: 'owner',
    visit: {
      ...visit,
      owner,
      session: { kind: 'app', session, signIn },
      token: service.sessions.formToken(session),
      requests: await service.approvals.now(ownerId),
    },
    isFormToken: (token) => service.sessions.isFormToken(session, token),
  };
}

/**
 * The owner whose session the app's hook returns; undefined if nobody is signed in, or the owner is unknown.
 * @throws Error if the hook fails
 */
export async function appOwnerId(service: Service, readSession: () => unknown): Promise<string | undefined> {
  const read = await readWithin(readSession);
  if (read.kind === 'failed') throw new Error(`The session hook of the app failed: ${read.error}`);
  if (read.session === null) return undefined;
  return (await service.owners.byId(read.session.ownerId))?.ownerId;
}

const HOOK_FAILED = 'The app could not tell who you are. Nothing was done. Try again in a moment.';
const UNKNOWN_OWNER =
  'You are signed in to the app, but it has not set up Countersign for your account. Nothing was done.';

type Read =
  | { readonly kind: 'read'; readonly session: AppSession | null }
  | {
      readonly kind: 'failed';
      readonly reason: 'threw' | 'timed_out' | 'wrong_type';
      readonly error: string;
    };

async function readWithin(readSession: () => unknown): Promise<Read> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Read>((resolve) => {
    const error = `no session within ${HOOK_WITHIN_MS / 1000} s`;
    timer = setTimeout(() => resolve({ kind: 'failed', reason: 'timed_out', error }), HOOK_WITHIN_MS);
  });
  try {
    return await Promise.race([readNow(readSession), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function readNow(readSession: () => unknown): Promise<Read> {
  try {
    const parsed = appSession.safeParse(await readSession());
    if (parsed.success) return { kind: 'read', session: parsed.data };
    // The names of the fields, never their values.
    const fields = parsed.error.issues.map(({ path }) => path.join('.') || 'the session');
    return { kind: 'failed', reason: 'wrong_type', error: `wrong: ${fields.join(', ')}` };
  } catch (cause) {
    return { kind: 'failed', reason: 'threw', error: errorName(cause).error };
  }
}

function stopped(reply: Reply): Visitor {
  return { kind: 'stopped', reply };
}

/**
 * Sends the browser to a page of the app, with `next` for the way back: a path if the app's page has a path, else a whole
 * URL. After a form, the way back leads to the page that showed the form.
 */
export function leaveFor(
  url: string,
  { base, head, path }: Pick<Visit, 'base' | 'head' | 'path'>,
  query: Readonly<Record<string, string>> = {},
): LeaveReply {
  const page = head.method === 'POST' ? pageBehind(path) : path;
  const kept = new URLSearchParams(query).toString();
  const back = kept === '' ? page : `${page}?${kept}`;
  const next = url.startsWith('/') ? base.path(back) : base.address(back);
  const separator = url.includes('?') ? '&' : '?';
  return { kind: 'leave', to: `${url}${separator}next=${encodeURIComponent(next)}` };
}

import type { StoredSession } from '../../../core/owners/session.ts';
import type { Demand } from '../../../core/owners/step-up.ts';
import { browserFacts } from '../browser-facts.ts';
import { provenNonce } from '../forms/form-proof.ts';
import { KEY_FIELD, PROOF_FIELD } from '../forms/signed-form.ts';
import { problemPage } from '../problem.tsx';
import { type OwnerForm, type OwnerVisit, type PageReply, type Reply, redirect } from '../visit.ts';
import { leaveFor } from './app-session.ts';
import { type Asking, CODE_FIELD, confirmPage, PASSWORD_FIELD } from './confirm-page.tsx';
import { challengeBinding, PASSKEY_FIELD, passkeyPlace, usedPasskeyPlace } from './passkeys.tsx';
import { limitTries, tooManyTries } from './password-tries.ts';
import { decisionBinding, hasProvenInApp, PROVING_FIELD, provingMark } from './prove-owner.ts';
import { WRONG_CODE, WRONG_PASSKEY } from './session.ts';

/** More than any page of the dashboard sends. The page that asks for the password repeats every field. */
const FIELDS_MAX = 100;

export type Passed =
  /** `device`: the new value of the device cookie, if the password was entered. */
  | { readonly kind: 'go'; readonly visit: OwnerVisit; readonly device?: string }
  | { readonly kind: 'stopped'; readonly reply: Reply; readonly visit: OwnerVisit };

/**
 * Lets a form of a signed-in owner through if the session's browser signed it or it carries the owner's password.
 * Otherwise nothing is done, and the answer is a page that asks for the password and repeats the form. In a session of
 * the app, the form token is the proof, and the app itself asks the person again. The form token has already been
 * checked.
 */
export async function checkForm(visit: OwnerVisit, form: OwnerForm): Promise<Passed> {
  if (visit.fields.size > FIELDS_MAX) {
    return stopped(visit, problemPage(413, 'Nothing was done', 'The form has too many fields.'));
  }
  const demand = typeof form.demand === 'function' ? await form.demand(visit) : form.demand;
  const pageVisit = { ...visit, fields: pageFields(visit.fields) };
  if (demand === 'view') return { kind: 'go', visit: pageVisit };
  const { service, session } = visit;
  if (session.kind === 'app' && demand === 'prove') {
    const { authenticatedAt: provenAt } = session.session;
    if (hasProvenInApp(visit, provenAt)) return { kind: 'go', visit: { ...pageVisit, provenAt } };
    return stopped(visit, leaveFor(session.signIn.stepUpUrl, visit, { [PROVING_FIELD]: provingMark(visit) }));
  }
  if (session.kind === 'app') {
    // The form token proves the app's session. The app asks the person again when that is too long ago.
    const facts = { demand, isProven: true, session: session.session };
    if (service.sessions.stepUp(facts) === 'go') return { kind: 'go', visit: pageVisit };
    return stopped(visit, leaveFor(session.signIn.stepUpUrl, visit));
  }
  const { stored } = session;
  const isProven = await useProof(visit, stored);
  if (service.sessions.stepUp({ demand, isProven, session: stored }) === 'go')
    return { kind: 'go', visit: pageVisit };
  // Empty: its place in the form was left out.
  const answer = visit.fields.get(PASSKEY_FIELD) || null;
  const password = visit.fields.get(PASSWORD_FIELD) || null;
  const asked = { visit, pageVisit, form, demand };
  const passed =
    answer !== null
      ? await withPasskey(asked, stored, answer)
      : password !== null
        ? await withPassword(asked, stored, password)
        : undefined;
  if (passed?.kind === 'stopped') return passed;
  if (passed !== undefined) {
    const { stored: proven } = passed;
    const visited: OwnerVisit = {
      ...pageVisit,
      session: { kind: 'own', stored: proven },
      ...(demand === 'prove' && { provenAt: proven.authenticatedAt }),
    };
    return { kind: 'go', visit: visited, device: passed.device };
  }
  return stopped(visit, await askAgain(asked, { why: whyAsked(demand, isProven) }));
}

function whyAsked(demand: Demand, isProven: boolean) {
  if (demand === 'own') return 'always';
  if (demand === 'prove') return 'chosen';
  return isProven ? 'long_ago' : 'unsigned';
}

/** A form that needs more than its signature. */
interface Asked {
  readonly visit: OwnerVisit;
  /** The same with only the page's own fields. */
  readonly pageVisit: OwnerVisit;
  readonly form: OwnerForm;
  readonly demand: Demand;
}

/** The owner has proved their presence. */
interface Proven {
  readonly kind: 'proven';
  readonly stored: StoredSession;
  readonly device: string;
}

type Stopped = Extract<Passed, { readonly kind: 'stopped' }>;

/** A passkey's answer to a decision that must be proven counts for that decision only. */
function bindingOf({ pageVisit, demand }: Asked, session: StoredSession): string {
  return demand === 'prove'
    ? decisionBinding(session.id, pageVisit.fields)
    : challengeBinding('confirm', session.id);
}

async function withPasskey(asked: Asked, session: StoredSession, answer: string): Promise<Proven | Stopped> {
  const { visit } = asked;
  const { service } = visit;
  const place = passkeyPlace(visit);
  const wrong = () => askAgain(asked, { problem: WRONG_PASSKEY, status: 422 });
  if (place === undefined) return stopped(visit, await wrong());
  const attempt = {
    session,
    answer,
    place,
    binding: bindingOf(asked, session),
    ...browserFacts(visit),
  };
  const check = await limitTries(() => service.sessions.confirmWithPasskey(attempt));
  if (check.kind === 'too_many') {
    return stopped(visit, await tooManyTries(check, (shown) => askAgain(asked, shown)));
  }
  if (check.result === 'ended') return stopped(visit, redirect('/sign-in'));
  if (check.result === 'wrong_passkey') return stopped(visit, await wrong());
  const { session: stored, device } = check.result;
  return { kind: 'proven', stored, device };
}

async function withPassword(
  asked: Asked,
  session: StoredSession,
  password: string,
): Promise<Proven | Stopped> {
  const { visit } = asked;
  const { service, fields } = visit;
  const attempt = { session, password, code: fields.get(CODE_FIELD), ...browserFacts(visit) };
  const check = await limitTries(() => service.sessions.confirm(attempt));
  if (check.kind === 'too_many') {
    return stopped(visit, await tooManyTries(check, (shown) => askAgain(asked, shown)));
  }
  if (check.result === 'ended') return stopped(visit, redirect('/sign-in'));
  if (check.result === 'wrong_password') {
    return stopped(visit, await askAgain(asked, { problem: 'The password is wrong.', status: 422 }));
  }
  if (check.result === 'wrong_code') {
    return stopped(visit, await askAgain(asked, { problem: WRONG_CODE, status: 422 }));
  }
  const { session: stored, device } = check.result;
  return { kind: 'proven', stored, device };
}

/** The page that asks for the password, and for the second step if the owner has one. */
async function askAgain(asked: Asked, why: Asking): Promise<PageReply> {
  const { pageVisit: visit, form } = asked;
  const { service, owner, session } = visit;
  const secondStep = await service.secondSteps.show(owner.ownerId);
  const place = usedPasskeyPlace(visit, secondStep);
  const binding = session.kind === 'own' ? bindingOf(asked, session.stored) : undefined;
  const passkey =
    place === undefined || binding === undefined
      ? undefined
      : { place, challenge: service.secondSteps.challenge(binding) };
  return confirmPage(visit, form, { ...why, secondStep, passkey });
}

/** Whether the form carries a valid proof that no other form has used. */
async function useProof(
  { service, origin, base, path, query, fields }: OwnerVisit,
  session: StoredSession,
): Promise<boolean> {
  // Dashboard forms post to paths without a query, so a form with a query is never signed.
  if (session.proofKey === null || query.size > 0) return false;
  const signed = [...fields].filter(([name]) => name !== PROOF_FIELD);
  const form = { origin, sessionId: session.id, path: base.path(path), fields: signed };
  const nonce = provenNonce(form, session.proofKey, fields.get(PROOF_FIELD) ?? '');
  return nonce !== undefined && service.sessions.takeProof(session, nonce);
}

/** The page's own fields. The owner's password goes no further than here. */
function pageFields(fields: URLSearchParams): URLSearchParams {
  const own = new Set([PROOF_FIELD, KEY_FIELD, PASSWORD_FIELD, CODE_FIELD, PASSKEY_FIELD, 'form_token']);
  return new URLSearchParams([...fields].filter(([name]) => !own.has(name)));
}

function stopped(visit: OwnerVisit, reply: Reply): Stopped {
  return { kind: 'stopped', reply, visit };
}

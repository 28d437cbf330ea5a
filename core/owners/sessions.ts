import { secretHash } from '../keys/credential.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { PasskeyPlace } from '../secrets/webauthn.ts';
import { DAY_MS, MINUTE_MS } from '../time/durations.ts';
import type { CheckPasskey } from './check-passkey.ts';
import type { CheckPassword } from './check-password.ts';
import type { CheckSecondStep } from './check-second-step.ts';
import type { Owner } from './owner-state.ts';
import type { ListedSession, Session, StoredSession } from './session.ts';
import { readTicket, ticketOf } from './sign-in-ticket.ts';
import { stepUp } from './step-up.ts';

/** A new session. */
export interface SignedIn {
  readonly kind: 'signed_in';
  /** The value of the session cookie. */
  readonly session: string;
  /** The value of the device cookie. */
  readonly device: string;
  /** How long the session lasts, in seconds. */
  readonly lastsS: number;
}

/** What a browser sends of a passkey that it used. */
export interface PasskeyAnswer {
  readonly answer: string;
  readonly place: PasskeyPlace;
  readonly binding: string;
  /** The caller's network address. */
  readonly address: string;
  /** The value of the device cookie, undefined without one. */
  readonly device: string | undefined;
}

/** The password is right. `finishSignIn` starts the session. */
export interface SecondStepNeeded {
  readonly kind: 'second_step';
  /** Sealed. It opens nothing by itself. */
  readonly ticket: string;
}

/** The sign-ins on the dashboard. */
export interface Sessions {
  /**
   * Checks email and password as `CheckPassword` does, and starts a session.
   * @param request  `address`: the caller's; `device`: the value of its device cookie, undefined without one;
   *   `browser`: a short description for the owner; `proofKey`: the public half of the browser's key, which the session
   *   stores unchanged; null without one
   * @returns undefined if email and password do not match
   * @throws ServiceError rate_limited or busy, with details.retry_after_s
   */
  signIn(request: {
    email: string;
    password: string;
    address: string;
    device: string | undefined;
    browser: string;
    proofKey: string | null;
  }): Promise<SignedIn | SecondStepNeeded | undefined>;
  /**
   * Ends a sign-in that needs a second step, and starts the session. Every code counts once.
   * @param request  `ticket`: of `signIn`, valid for ten minutes; `code`: of the authenticator app, or a recovery code;
   *   the others as for `signIn`
   * @returns `over`: the owner has to sign in again from the start
   * @throws ServiceError rate_limited, with details.retry_after_s
   */
  finishSignIn(request: {
    ticket: string;
    code: string;
    address: string;
    device: string | undefined;
    browser: string;
    proofKey: string | null;
  }): Promise<SignedIn | 'wrong_code' | 'over'>;
  /**
   * Signs in with a passkey alone: it verified its user.
   * @param request  `answer`: what the browser's passkey signed, as the page's script sends it; `binding`: the one of
   *   `SecondSteps.challenge`; the others as for `signIn`
   * @returns undefined if it proves nothing, or is nobody's
   * @throws ServiceError rate_limited, with details.retry_after_s
   */
  signInWithPasskey(
    request: PasskeyAnswer & { browser: string; proofKey: string | null },
  ): Promise<SignedIn | undefined>;
  /** Finds a session by its token. Undefined: there is none, or it has expired (after 14 days). */
  find(token: string): Promise<{ readonly owner: Owner; readonly session: StoredSession } | undefined>;
  /**
   * Confirms with the password that the person is the owner. Tries share their limit with those of `signIn`.
   * @param request  `code`: of the second step, if the owner has one; `proofKey`: replaces the session's; null leaves it unchanged
   * @returns the updated session and the value of the device cookie; `ended` if the session has ended
   * meanwhile
   * @throws ServiceError rate_limited or busy, with details.retry_after_s
   */
  confirm(request: {
    session: StoredSession;
    password: string;
    code: string | null;
    address: string;
    device: string | undefined;
    proofKey: string | null;
  }): Promise<
    { readonly session: StoredSession; readonly device: string } | 'wrong_password' | 'wrong_code' | 'ended'
  >;
  /**
   * The same with a passkey instead of the password and the code.
   * @throws ServiceError rate_limited, with details.retry_after_s
   */
  confirmWithPasskey(
    request: PasskeyAnswer & { session: StoredSession; proofKey: string | null },
  ): Promise<{ readonly session: StoredSession; readonly device: string } | 'wrong_passkey' | 'ended'>;
  /** Whether a request of this session may go ahead now: `stepUp` on the service's clock. */
  stepUp(facts: Omit<Parameters<typeof stepUp>[0], 'now'>): ReturnType<typeof stepUp>;
  /**
   * Uses up the nonce of a signed form. False: it was used before in this session, or the session has ended.
   */
  takeProof(session: Session, nonce: string): Promise<boolean>;
  /** Returns the token for the forms of a session of the app. Every process with the same secret keys accepts it. */
  formToken(session: Pick<Session, 'id' | 'ownerId'>): string;
  /** Whether `formToken` returned this token for the same session. */
  isFormToken(session: Pick<Session, 'id' | 'ownerId'>, token: string | null): boolean;
  /** Sessions that have not ended, the last used first; at most 100. */
  list(ownerId: string): Promise<readonly ListedSession[]>;
  /** Ends a session at once, in every process. False: there is none with this id. */
  end(ownerId: string, sessionId: string): Promise<boolean>;
  /** Ends all sessions of the owner except this one. @returns how many */
  endOthers(session: Session): Promise<number>;
}

export const SESSION_MS = 14 * DAY_MS;
/** How far `lastUsedAt` may lag behind, so that viewing a page rarely writes. */
const USE_RECORDED_MS = 5 * MINUTE_MS;

/** The purpose of the signatures in the forms of an app's session. */
const FORM = 'form';

export function createSessions(
  { storage, clock, random }: Ports,
  keyring: Keyring,
  checkPassword: CheckPassword,
  checkSecondStep: CheckSecondStep,
  checkPasskey: CheckPasskey,
): Sessions {
  /** Undefined: the password was changed since it was checked. */
  async function start({ ownerId, passwordHash, device, browser, address, proofKey }: NewSession) {
    const token = Buffer.from(random(32)).toString('base64url');
    const now = clock.now();
    const added = await storage.addSession({
      session: {
        id: `ses_${Buffer.from(random(12)).toString('base64url')}`,
        ownerId,
        authenticatedAt: now,
        createdAt: now,
        lastUsedAt: now,
        browser,
        address,
        proofKey,
      },
      tokenHash: secretHash(token),
      passwordHash,
      signer: keyring,
      expiresAt: new Date(now.getTime() + SESSION_MS),
    });
    if (!added) return undefined;
    return { kind: 'signed_in', session: token, device, lastsS: SESSION_MS / 1000 } as const;
  }

  async function confirmed(session: StoredSession, device: string, proofKey: string | null) {
    const { ownerId, id: sessionId } = session;
    const authenticatedAt = clock.now();
    const isActive = await storage.confirmSession({
      ownerId,
      sessionId,
      proofKey,
      signer: keyring,
      now: authenticatedAt,
    });
    if (!isActive) return 'ended';
    return { session: { ...session, authenticatedAt, proofKey: proofKey ?? session.proofKey }, device };
  }

  return {
    async signIn({ email, password, address, device, browser, proofKey }) {
      const match = await checkPassword({ who: { email }, password, address, device });
      if (match === undefined) return undefined;
      const { owner, passwordHash } = match;
      if (match.device === undefined) {
        const ticket = ticketOf(keyring, { owner, passwordHash }, clock.now());
        return { kind: 'second_step', ticket };
      }
      const { ownerId } = owner;
      return start({ ownerId, passwordHash, device: match.device, browser, address, proofKey });
    },
    async finishSignIn({ ticket, code, address, device, browser, proofKey }) {
      const read = readTicket(keyring, ticket, clock.now());
      const found = read && (await storage.secondStep(read.ownerId));
      if (read === undefined || found === undefined) return 'over';
      const { owner, passwordHash } = found;
      if (passwordHash === null || !read.isOf(passwordHash)) return 'over';
      const shown = await checkSecondStep({ owner, shown: { code }, device });
      if (shown === 'wrong') return 'wrong_code';
      if (shown === 'off') return 'over';
      const { ownerId } = owner;
      const started = await start({
        ownerId,
        passwordHash,
        device: shown.device,
        browser,
        address,
        proofKey,
      });
      return started ?? 'over';
    },
    async signInWithPasskey({ answer, place, binding, address, device, browser, proofKey }) {
      const match = await checkPasskey({ answer, place, binding, address, device });
      if (match === undefined || match.passwordHash === null) return undefined;
      const { owner, passwordHash } = match;
      return start({
        ownerId: owner.ownerId,
        passwordHash,
        device: match.device,
        browser,
        address,
        proofKey,
      });
    },
    async find(token) {
      const now = clock.now();
      const found = await storage.session(secretHash(token), keyring, now);
      if (found === undefined) return undefined;
      const { id, ownerId, lastUsedAt } = found.session;
      if (now.getTime() - lastUsedAt.getTime() >= USE_RECORDED_MS) {
        await storage.useSession({ ownerId, sessionId: id, now });
      }
      return found;
    },
    async confirm({ session, password, code, address, device, proofKey }) {
      const { ownerId } = session;
      const match = await checkPassword({ who: { ownerId }, password, address, device });
      if (match === undefined) return 'wrong_password';
      const shown =
        match.device === undefined
          ? await checkSecondStep({ owner: match.owner, shown: { code: code ?? '' }, device })
          : { device: match.device };
      if (shown === 'wrong') return 'wrong_code';
      // It was removed just now: the password is checked again without it.
      if (shown === 'off') return 'wrong_password';
      return confirmed(session, shown.device, proofKey);
    },
    async confirmWithPasskey({ session, answer, place, binding, address, device, proofKey }) {
      const match = await checkPasskey({ answer, place, binding, address, device });
      if (match?.owner.ownerId !== session.ownerId) return 'wrong_passkey';
      return confirmed(session, match.device, proofKey);
    },
    stepUp: (facts) => stepUp({ ...facts, now: clock.now() }),
    takeProof: ({ ownerId, id }, nonce) => storage.takeProof({ ownerId, sessionId: id, nonce }),
    formToken: (session) => keyring.sign(FORM, formText(session)),
    isFormToken: (session, token) => keyring.isSigned(FORM, formText(session), token),
    list: (ownerId) => storage.sessions(ownerId, keyring, clock.now()),
    end: (ownerId, sessionId) => storage.endSession(ownerId, sessionId),
    endOthers: ({ ownerId, id }) => storage.endOtherSessions(ownerId, id),
  };
}

interface NewSession {
  readonly ownerId: string;
  /** The hash that the password matched. */
  readonly passwordHash: string;
  readonly device: string;
  readonly browser: string;
  readonly address: string;
  readonly proofKey: string | null;
}

function formText({ id, ownerId }: Pick<Session, 'id' | 'ownerId'>): string {
  return JSON.stringify([ownerId, id]);
}

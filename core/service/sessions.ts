import { secretHash } from '../gate/credential.ts';
import type { Session, StoredSession } from '../gate/session.ts';
import { stepUp } from '../gate/step-up.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { DAY_MS, MINUTE_MS } from '../time/durations.ts';
import type { CheckPasskey } from './check-passkey.ts';
import type { CheckPassword } from './check-password.ts';
import type { CheckSecondStep } from './check-second-step.ts';
import type { Sessions } from './service.ts';
import { readTicket, ticketOf } from './sign-in-ticket.ts';

const SESSION_MS = 14 * DAY_MS;
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
      expiresAt: new Date(now.getTime() + SESSION_MS),
    });
    if (!added) return undefined;
    return { kind: 'signed_in', session: token, device, lastsS: SESSION_MS / 1000 } as const;
  }

  async function confirmed(session: StoredSession, device: string, proofKey: string | null) {
    const { ownerId, id: sessionId } = session;
    const authenticatedAt = clock.now();
    const isActive = await storage.confirmSession({ ownerId, sessionId, proofKey, now: authenticatedAt });
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
        ...{ ownerId: owner.ownerId, passwordHash, device: match.device },
        browser,
        address,
        proofKey,
      });
    },
    async find(token) {
      const now = clock.now();
      const found = await storage.session(secretHash(token), now);
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
    list: (ownerId) => storage.sessions(ownerId, clock.now()),
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

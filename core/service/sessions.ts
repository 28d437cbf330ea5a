import { secretHash } from '../gate/credential.ts';
import type { Session } from '../gate/session.ts';
import { stepUp } from '../gate/step-up.ts';
import type { Ports } from '../ports/ports.ts';
import type { Signer } from '../secrets/keyring.ts';
import { DAY_MS, MINUTE_MS } from '../time/durations.ts';
import type { CheckPassword } from './check-password.ts';
import type { Sessions } from './service.ts';

const SESSION_MS = 14 * DAY_MS;
/** How far `lastUsedAt` may lag behind, so that viewing a page rarely writes. */
const USE_RECORDED_MS = 5 * MINUTE_MS;

/** The purpose of the signatures in the forms of an app's session. */
const FORM = 'form';

export function createSessions(
  { storage, clock, random }: Ports,
  signer: Signer,
  checkPassword: CheckPassword,
): Sessions {
  return {
    async signIn({ email, password, address, device, browser, proofKey }) {
      const match = await checkPassword({ who: { email }, password, address, device });
      if (match === undefined) return undefined;
      const { owner, passwordHash } = match;
      const token = Buffer.from(random(32)).toString('base64url');
      const now = clock.now();
      const added = await storage.addSession({
        session: {
          id: `ses_${Buffer.from(random(12)).toString('base64url')}`,
          ownerId: owner.ownerId,
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
      // Undefined if the password was changed since it was checked.
      return added ? { session: token, device: match.device } : undefined;
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
    async confirm({ session, password, address, device, proofKey }) {
      const { ownerId, id: sessionId } = session;
      const match = await checkPassword({ who: { ownerId }, password, address, device });
      if (match === undefined) return 'wrong_password';
      const authenticatedAt = clock.now();
      const isActive = await storage.confirmSession({ ownerId, sessionId, proofKey, now: authenticatedAt });
      if (!isActive) return 'ended';
      const confirmed = { ...session, authenticatedAt, proofKey: proofKey ?? session.proofKey };
      return { session: confirmed, device: match.device };
    },
    stepUp: (facts) => stepUp({ ...facts, now: clock.now() }),
    takeProof: ({ ownerId, id }, nonce) => storage.takeProof({ ownerId, sessionId: id, nonce }),
    formToken: (session) => signer.sign(FORM, formText(session)),
    isFormToken: (session, token) => signer.isSigned(FORM, formText(session), token),
    list: (ownerId) => storage.sessions(ownerId, clock.now()),
    end: (ownerId, sessionId) => storage.endSession(ownerId, sessionId),
    endOthers: ({ ownerId, id }) => storage.endOtherSessions(ownerId, id),
  };
}

function formText({ id, ownerId }: Pick<Session, 'id' | 'ownerId'>): string {
  return JSON.stringify([ownerId, id]);
}

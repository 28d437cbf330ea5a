import { createAddressBudget } from '../keys/address-budget.ts';
import type { Ports } from '../ports/ports.ts';
import { type PasskeyPlace, proven, readAssertion } from '../secrets/webauthn.ts';
import type { CheckSecondStep } from './check-second-step.ts';
import type { Owner } from './owner-state.ts';
import type { PasskeyChallenges } from './passkey-challenges.ts';

interface PasskeyAttempt {
  /** As the page's script sends it. */
  readonly answer: string;
  readonly place: PasskeyPlace;
  /** As for its challenge. */
  readonly binding: string;
  /** The caller's network address. */
  readonly address: string;
  /** The value of the browser's device cookie, if it has one. */
  readonly device: string | undefined;
}

/**
 * The only place that checks a passkey. It verified its user, so it is as good as the password and a code.
 * @returns undefined if it proves nothing, or is nobody's
 * @throws ServiceError rate_limited, with details.retry_after_s
 */
export type CheckPasskey = (
  attempt: PasskeyAttempt,
) => Promise<
  { readonly owner: Owner; readonly passwordHash: string | null; readonly device: string } | undefined
>;

/** Per address group. A person needs one. */
const TRIES_A_MINUTE = 30;

export function createPasskeyCheck(
  { storage, clock }: Ports,
  challenges: PasskeyChallenges,
  checkSecondStep: CheckSecondStep,
): CheckPasskey {
  const budget = createAddressBudget(TRIES_A_MINUTE);
  return async ({ answer, place, binding, address, device }) => {
    budget.spend(address, clock.now());
    const assertion = readAssertion(answer);
    const owner = assertion && (await storage.ownerByPasskeyHandle(assertion.handle));
    const found = owner && (await storage.secondStep(owner.ownerId));
    const passkey = found?.secondStep?.passkeys.find(({ id }) => id === assertion?.id);
    if (assertion === undefined || found === undefined || passkey === undefined) return undefined;
    const signed = proven(assertion, passkey.publicKey, place);
    const challengeMs = signed && challenges.read(signed.challenge, binding);
    if (signed === undefined || challengeMs === undefined) return undefined;
    const { id, publicKey } = passkey;
    const shown = { kind: 'passkey', id, publicKey, signCount: signed.signCount, challengeMs } as const;
    const end = await checkSecondStep({ owner: found.owner, shown, device });
    if (typeof end === 'string') return undefined;
    return { owner: found.owner, passwordHash: found.passwordHash, device: end.device };
  };
}

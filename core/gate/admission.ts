import { ServiceError, ServiceStoppedError } from '../contract/errors.ts';
import { unavailable } from '../contract/unavailable.ts';
import type { Caller, CredentialRef } from '../keys/call-storage.ts';
import type { LimitVerdict, Rate } from '../keys/limits.ts';
import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Lifecycle } from '../work/lifecycle.ts';

/** Checks a credential and its limits, counts the call and takes a slot. Every way in starts with it. Never throws. */
export type Admit = (ref: CredentialRef) => Promise<Admitted>;

type Admitted =
  | { readonly kind: 'admitted'; readonly caller: Caller; readonly rate: Rate }
  | {
      readonly kind: 'over';
      readonly credentialId: string;
      readonly refusal: ServiceError;
      readonly rate: Rate;
    }
  /** The credential is missing, revoked, expired or altered. */
  | { readonly kind: 'unknown'; readonly refusal: ServiceError }
  /** The storage cannot be reached, or the service stops. */
  | { readonly kind: 'unavailable'; readonly refusal: ServiceError };

export function createAdmission(
  { storage, clock, random, log }: Ports,
  signer: Signer,
  leaseMs: number,
  lifecycle: Lifecycle,
): Admit {
  const slotId = slotIds(random);
  return async (ref) => {
    if (lifecycle.isStopping) return { kind: 'unavailable', refusal: new ServiceStoppedError() };
    try {
      const admitted = await storage.admit({ ...ref, slotId: slotId(), leaseMs, signer, now: clock.now() });
      if (admitted.kind === 'admitted') return admitted;
      if (admitted.kind === 'altered') {
        log.error('a key was changed outside Countersign, and is refused', { key: admitted.credentialId });
      }
      if (admitted.kind !== 'over') return { kind: 'unknown', refusal: new ServiceError('invalid_token') };
      const { credentialId, verdict } = admitted;
      return { kind: 'over', credentialId, refusal: overLimit(verdict), rate: verdict.rate };
    } catch (error) {
      log.error('a call could not be admitted', errorName(error));
      return { kind: 'unavailable', refusal: unavailable(error) };
    }
  };
}

/** Ids that are unique among all processes: a random name of this service, and a number. */
function slotIds(random: Ports['random']): () => string {
  const service = Buffer.from(random(12)).toString('base64url');
  let last = 0;
  return () => {
    last += 1;
    return `${service}.${last}`;
  };
}

function overLimit({ code, retryAfterS, resetsAt }: Extract<LimitVerdict, { kind: 'over' }>): ServiceError {
  const retry = { retry_after_s: retryAfterS };
  return code === 'daily_limit_reached'
    ? new ServiceError(code, { details: { ...retry, resets_at: resetsAt.toISOString() } })
    : new ServiceError(code, { details: retry });
}

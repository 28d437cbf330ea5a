import * as z from 'zod';
import type { SecondStep } from './second-step.ts';

/** The second step of an owner as it is stored. */

const stored = z.object({
  app: z.object({ sealed_secret: z.string(), last_step: z.int(), added_at_ms: z.int() }).nullable(),
  passkeys: z.array(
    z.object({
      id: z.string(),
      public_key: z.string(),
      host: z.string(),
      name: z.string(),
      sign_count: z.int(),
      last_challenge_ms: z.int(),
      added_at_ms: z.int(),
      last_used_at_ms: z.int().nullable(),
    }),
  ),
  recovery_hashes: z.array(z.string()),
  failures: z.int(),
  last_ms: z.int(),
});

/** @throws Error if it is none */
export function secondStepIn(value: unknown): SecondStep {
  const { app, passkeys, recovery_hashes, failures, last_ms } = stored.parse(value);
  return {
    app: app && {
      sealedSecret: app.sealed_secret,
      lastStep: app.last_step,
      addedAt: new Date(app.added_at_ms),
    },
    passkeys: passkeys.map(({ id, host, name, ...passkey }) => ({
      id,
      host,
      name,
      publicKey: passkey.public_key,
      signCount: passkey.sign_count,
      lastChallengeMs: passkey.last_challenge_ms,
      addedAt: new Date(passkey.added_at_ms),
      lastUsedAt: passkey.last_used_at_ms === null ? null : new Date(passkey.last_used_at_ms),
    })),
    recoveryHashes: recovery_hashes,
    strangers: { failures, lastMs: last_ms },
  };
}

export function storedSecondStep({
  app,
  passkeys,
  recoveryHashes,
  strangers,
}: SecondStep): z.input<typeof stored> {
  const { failures, lastMs: last_ms } = strangers;
  return {
    app: app && {
      sealed_secret: app.sealedSecret,
      last_step: app.lastStep,
      added_at_ms: app.addedAt.getTime(),
    },
    passkeys: passkeys.map(({ id, host, name, ...passkey }) => ({
      id,
      host,
      name,
      public_key: passkey.publicKey,
      sign_count: passkey.signCount,
      last_challenge_ms: passkey.lastChallengeMs,
      added_at_ms: passkey.addedAt.getTime(),
      last_used_at_ms: passkey.lastUsedAt?.getTime() ?? null,
    })),
    recovery_hashes: [...recoveryHashes],
    failures,
    last_ms,
  };
}

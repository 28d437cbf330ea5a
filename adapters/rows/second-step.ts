import * as z from 'zod';
import type { SecondStep } from '../../core/gate/second-step.ts';
import { type Row, textOrNull } from './row.ts';

const stored = z.object({
  app: z.object({ sealed_secret: z.string(), last_step: z.int(), added_at_ms: z.int() }).nullable(),
  recovery_hashes: z.array(z.string()),
  failures: z.int(),
  last_ms: z.int(),
});

/** @param row  an owner's. Null: the owner signs in with the password alone. */
export function readSecondStep(row: Row): SecondStep | null {
  const text = textOrNull(row, 'second_step');
  if (text === null) return null;
  const { app, recovery_hashes, failures, last_ms } = stored.parse(JSON.parse(text));
  return {
    app: app && {
      sealedSecret: app.sealed_secret,
      lastStep: app.last_step,
      addedAt: new Date(app.added_at_ms),
    },
    recoveryHashes: recovery_hashes,
    strangers: { failures, lastMs: last_ms },
  };
}

export function secondStepText({ app, recoveryHashes, strangers }: SecondStep): string {
  const { failures, lastMs: last_ms } = strangers;
  const content: z.input<typeof stored> = {
    app: app && {
      sealed_secret: app.sealedSecret,
      last_step: app.lastStep,
      added_at_ms: app.addedAt.getTime(),
    },
    recovery_hashes: [...recoveryHashes],
    ...{ failures, last_ms },
  };
  return JSON.stringify(content);
}

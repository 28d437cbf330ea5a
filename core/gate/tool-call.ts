import type { Outcome } from '../call/outcome.ts';

export interface ToolCall {
  readonly tool: string;
  readonly args: unknown;
  readonly idempotencyKey: string | undefined;
  /** Bytes of the answer as this door will write it. An answer is cut until it fits. */
  readonly sizeBytes: (outcome: Outcome) => number;
  /** Aborted when the caller has disconnected or cancelled. It ends a wait (`wait_s`); other work runs to its end. */
  readonly gone?: AbortSignal | undefined;
  /** Called while the call waits (`wait_s`): at once, and then every few seconds. */
  readonly onWaiting?: ((waitedS: number, waitS: number) => void) | undefined;
}

export interface Answer {
  readonly outcome: Outcome;
  /** True if this is the stored answer of an earlier call with the same Idempotency-Key. */
  readonly replayed: boolean;
}

import type { NoTextReason } from '../../core/ports/attachment-text.ts';

/** Thrown by a reader that cannot read on, with the reason that the caller is told. */
export class NoText extends Error {
  constructor(
    readonly reason: NoTextReason,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

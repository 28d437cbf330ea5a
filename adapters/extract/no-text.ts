import type { NoTextFacts, NoTextReason } from '../../core/ports/attachment-text.ts';

/** Thrown by a reader that cannot continue, with the reason for the caller. */
export class NoText extends Error {
  /** What is known of the document nevertheless. */
  readonly facts: NoTextFacts;

  constructor(
    readonly reason: NoTextReason,
    { cause, ...facts }: ErrorOptions & NoTextFacts = {},
  ) {
    super(reason, { cause });
    this.facts = facts;
  }
}

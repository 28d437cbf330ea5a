import type { NoTextFacts, NoTextReason } from '../../core/ports/attachment-text.ts';

/** Thrown by a reader that cannot read on, with the reason that the caller is told. */
export class NoText extends Error {
  /** What is known of the document all the same. */
  readonly facts: NoTextFacts;

  constructor(
    readonly reason: NoTextReason,
    { cause, ...facts }: ErrorOptions & NoTextFacts = {},
  ) {
    super(reason, { cause });
    this.facts = facts;
  }
}

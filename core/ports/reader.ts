import type { JobInput, JobName, JobOutput } from '../reading/jobs.ts';

/**
 * Reads what strangers wrote, by the pure functions of `core/reading`, within limits on time and memory and without
 * holding up the service.
 */
export interface Reader {
  /**
   * @throws the signal's reason once that is aborted; ServiceError `temporarily_unavailable` when too much waits to be
   * read already. Whatever the content does is an answer.
   */
  read<K extends JobName>(
    job: K,
    input: JobInput<K>,
    options: { readonly signal: AbortSignal },
  ): Promise<Reading<JobOutput<K>>>;
  /** Ends what is being read. */
  close(): Promise<void>;
}

export type Reading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'unreadable'; readonly reason: UnreadableReason };

export type UnreadableReason =
  /** It took longer than it may. */
  | 'too_slow'
  /** It is larger, or took more memory, than it may. */
  | 'too_large'
  /** The code that reads it failed over it. */
  | 'broken';

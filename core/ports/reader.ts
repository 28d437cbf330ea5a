import type { JobInput, JobName, JobOutput } from '../reading/jobs.ts';

/**
 * Reads untrusted input with the pure functions of `core/reading`, within limits on time and memory and without
 * blocking the service.
 */
export interface Reader {
  /**
   * @throws the signal's reason once it is aborted; ServiceError `temporarily_unavailable` if the queue is full.
   * Problems with the content are results, not errors.
   */
  read<K extends JobName>(job: K, input: JobInput<K>, options: ReadingFor): Promise<Reading<JobOutput<K>>>;
  /** Ends all reading. */
  close(): Promise<void>;
}

export interface ReadingFor {
  /** Whose mail or calendar it is: owners take turns. */
  readonly ownerId: string;
  /** Ends the work: throws its reason. */
  readonly signal: AbortSignal;
}

export type Reading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'unreadable'; readonly reason: UnreadableReason };

export type UnreadableReason =
  /** Reading took too long. */
  | 'too_slow'
  /** The input is too large, or reading it took too much memory. */
  | 'too_large'
  /** The code that reads it failed. */
  | 'broken';

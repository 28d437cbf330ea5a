import { type MailCall, MailError } from '../../core/ports/mail.ts';

/** Ends when the caller gives up or the call's deadline is over, whichever comes first. */
export function timeLimit({ signal, deadlineMs }: MailCall): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, Math.ceil(deadlineMs)))]);
}

/**
 * Waits for `work`, but not beyond `limit`.
 * @param stop  makes `work` come to its end; called when the limit is reached
 * @throws MailError `unavailable` at the limit; what `work` throws until then
 */
export async function withinLimit<T>(limit: AbortSignal, work: Promise<T>, stop: () => void): Promise<T> {
  let onAbort = () => {};
  const over = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      stop();
      reject(outOfTime());
    };
  });
  // Whichever of the two comes second has nobody left to tell.
  work.catch(() => undefined);
  over.catch(() => undefined);
  if (limit.aborted) onAbort();
  else limit.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([over, work]);
  } finally {
    limit.removeEventListener('abort', onAbort);
  }
}

export function outOfTime(): MailError {
  return new MailError('unavailable', 'the time for this call is over');
}

import * as z from 'zod';

/** The calls that wait at one endpoint, for clients that cancel them. */
export interface CancellableCalls {
  /**
   * @param message  the JSON of the request; only a single call that waits can be cancelled: others are short
   * @param gone  aborted when the caller has disconnected
   */
  begin(credentialId: string, message: unknown, gone: AbortSignal | undefined): CancellableCall;
  /** Cancels what the message cancels. @returns false if it is no cancellation */
  cancelBy(credentialId: string, message: unknown): boolean;
}

interface CancellableCall {
  /** Aborted when the caller has disconnected or cancelled the request. */
  readonly gone: AbortSignal | undefined;
  /** Forgets it. */
  end(): void;
}

const requestId = z.union([z.string(), z.number()]);
const request = z.looseObject({
  id: requestId,
  params: z.looseObject({ arguments: z.looseObject({ wait_s: z.number() }) }),
});
const cancellation = z.looseObject({
  method: z.literal('notifications/cancelled'),
  params: z.looseObject({ requestId }),
});

/**
 * Clients of revisions before 2026-07-28 keep the connection of a call that they cancel, and send a notification with the
 * id of its request. Without sessions, two clients with one key may use the same id: a cancellation then ends the waits of
 * both, and the other client reads that its request still waits. A cancellation that reaches another process does nothing.
 * Source: MCP 2025-11-25, Cancellation.
 */
export function cancellableCalls(): CancellableCalls {
  const running = new Map<string, Set<AbortController>>();
  const nameOf = (credentialId: string, id: string | number) => JSON.stringify([credentialId, id]);

  return {
    begin(credentialId, message, gone) {
      const { data } = request.safeParse(message);
      if (data === undefined) return { gone, end() {} };
      const name = nameOf(credentialId, data.id);
      const controller = new AbortController();
      const abort = () => controller.abort();
      if (gone?.aborted === true) abort();
      gone?.addEventListener('abort', abort);
      const same = running.get(name) ?? new Set();
      running.set(name, same.add(controller));
      return {
        gone: controller.signal,
        end() {
          gone?.removeEventListener('abort', abort);
          same.delete(controller);
          if (same.size === 0 && running.get(name) === same) running.delete(name);
        },
      };
    },
    cancelBy(credentialId, message) {
      const { data } = cancellation.safeParse(message);
      if (data === undefined) return false;
      for (const controller of running.get(nameOf(credentialId, data.params.requestId)) ?? [])
        controller.abort();
      return true;
    },
  };
}

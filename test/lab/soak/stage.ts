import type * as z from 'zod';
import type { Log } from '../../../core/ports/log.ts';
import { type TestKey, wireBytes } from '../../open-service.ts';
import type { Kind } from './protocol.ts';

/** The result of one sample. */
export interface Played {
  answers: number;
  /** Size of the largest response. */
  bytes: number;
  /** The outcomes of its attachments. */
  readonly read: string[];
  readonly wrong: string[];
}

/** A service to play samples on. */
export interface Stage {
  play(raw: Buffer, kind: Kind): Promise<Played>;
  close(): Promise<void>;
}

const ANSWER_BYTES = 64 * 1024;

/** Error codes that no untrusted input may cause. */
const FAILURES: ReadonlySet<string> = new Set(['internal_error', 'temporarily_unavailable', 'unavailable']);

/** Calls tools, and records responses that are too large or report a failure of the service. */
export function asking() {
  let failure = '';
  const log: Log = {
    info: () => undefined,
    warn: () => undefined,
    error: (message, fields) => {
      failure = `${message} ${JSON.stringify(fields)}`;
    },
  };
  function ask<R extends object>(key: TestKey, shape: z.ZodType<R>) {
    const played: Played = { answers: 0, bytes: 0, read: [], wrong: [] };
    const call = async (tool: string, args: unknown): Promise<Partial<R>> => {
      failure = '';
      const outcome = await key.call(tool, args);
      played.answers += 1;
      const size = wireBytes(outcome);
      played.bytes = Math.max(played.bytes, size);
      if (size > ANSWER_BYTES) played.wrong.push(`${tool} answered ${size} bytes`);
      if (outcome.status === 'error' && FAILURES.has(outcome.code))
        played.wrong.push(`${tool} answered ${outcome.code} ${failure}`);
      return outcome.status === 'ok' || outcome.status === 'empty' ? shape.parse(outcome.result) : {};
    };
    return { call, played };
  }
  return { log, ask };
}

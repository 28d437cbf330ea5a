import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { z } from 'zod';

/** Asks a process one question after another. */
export type Ask = <T>(question: unknown, answer: z.ZodType<T>) => Promise<T>;

/** A helper process of the benchmark that answers one question after another. */
export interface Child {
  readonly ask: Ask;
  /** Resolves when the process has ended. */
  stop(): Promise<void>;
}

/** @param name  one of the bundles that run.mjs builds @param flags  of Node @param args  of the process */
export function startChild(name: string, flags: readonly string[] = [], args: readonly string[] = []): Child {
  const child = fork(bundleOf(name), [...args], {
    execArgv: ['--enable-source-maps', ...flags],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  return {
    ask: asking(child, name),
    async stop() {
      child.disconnect();
      await ended;
    },
  };
}

/** @returns the path of one of the bundles that run.mjs builds */
export function bundleOf(name: string): string {
  return join(import.meta.dirname, `${name}.mjs`);
}

/** @param child  with a channel, at whose other end is `answerParent` */
export function asking(child: ChildProcess, name: string): Ask {
  const lost = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${String(code)}`);
  });
  // The process ends when no more questions can come.
  lost.catch(() => undefined);
  return async (question, answer) => {
    const answered = once(child, 'message');
    child.send({ question });
    const [message] = (await Promise.race([answered, lost])) as unknown[];
    return answer.parse(message);
  };
}

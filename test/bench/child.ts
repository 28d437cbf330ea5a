import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { z } from 'zod';

/** A helper process of the benchmark that answers one question after another. */
export interface Child {
  ask<T>(question: unknown, answer: z.ZodType<T>): Promise<T>;
  /** Resolves when the process has ended. */
  stop(): Promise<void>;
}

/** @param name  one of the bundles that run.mjs builds @param flags  of Node @param args  of the process */
export function startChild(name: string, flags: readonly string[] = [], args: readonly string[] = []): Child {
  const child = fork(join(import.meta.dirname, `${name}.mjs`), [...args], {
    execArgv: ['--enable-source-maps', ...flags],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const lost = ended.then(([code]) => {
    throw new Error(`${name} ended with ${String(code)}`);
  });
  // The process ends when nobody asks it any more.
  lost.catch(() => undefined);
  return {
    async ask(question, answer) {
      const answered = once(child, 'message');
      child.send({ question });
      const [message] = (await Promise.race([answered, lost])) as unknown[];
      return answer.parse(message);
    },
    async stop() {
      child.disconnect();
      await ended;
    },
  };
}

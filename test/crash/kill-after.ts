import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** The name of the file that the calls are written to. */
export const TRACE = 'trace';

/**
 * Calls that do not count, because they are not steps: renewals follow the clock, and the health of an account is
 * reported beside the steps. A kill after a call is only exact if no other call is under way: the database may still
 * commit that one, and `trace` would not name it.
 */
const BESIDE_THE_STEPS: readonly PropertyKey[] = ['renew', 'reportServer'];

/**
 * Counts the port calls of this process, and kills it with SIGKILL right after the n-th. 0: it runs to the end. Each
 * port call that ended adds a line to the file `trace` of the folder.
 * @returns wraps a port so that its calls count; `only`: the calls that do. Default: all
 */
export function killAfter(
  nth: number,
  folder: string,
): <T extends object>(name: string, port: T, only?: readonly string[]) => T {
  let calls = 0;

  async function ended(call: string): Promise<void> {
    calls++;
    appendFileSync(join(folder, TRACE), `${call}\n`);
    if (calls !== nth) return;
    process.kill(process.pid, 'SIGKILL');
    await new Promise<never>(() => {});
  }

  return (name, port, only) =>
    new Proxy(port, {
      get(target, property, receiver) {
        const member: unknown = Reflect.get(target, property, receiver);
        if (typeof member !== 'function' || BESIDE_THE_STEPS.includes(property)) return member;
        if (only?.includes(String(property)) === false) return member;
        return (...args: unknown[]) => {
          const answer: unknown = Reflect.apply(member, target, args);
          if (!(answer instanceof Promise)) return answer;
          return (async () => {
            try {
              return await answer;
            } finally {
              await ended(`${name}.${String(property)}`);
            }
          })();
        };
      },
    });
}

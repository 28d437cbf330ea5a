import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../run-typescript.ts';
import { TRACE } from './kill-after.ts';

/** Runs a process that is to kill itself. @throws Error if it ends in another way */
export async function runUntilKilled(bundle: string, args: readonly string[]): Promise<void> {
  const { signal, code, stderr } = await runChild(bundle, args);
  if (signal !== 'SIGKILL') throw new Error(`the actor ended with ${signal ?? code}: ${stderr}`);
}

/** The port calls that ended in the scene of this folder, in order. */
export function tracedCalls(folder: string): readonly string[] {
  const trace = join(folder, TRACE);
  return existsSync(trace) ? readFileSync(trace, 'utf8').split('\n').slice(0, -1) : [];
}

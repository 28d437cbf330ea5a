import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { NewMailScene } from './new-mail-scene.ts';

/** A process that runs the service. */
export interface NewMailProcess {
  /** Kills it with SIGKILL. @returns false if it had ended by itself */
  kill(): Promise<boolean>;
  /** Asks it to stop and waits until it has. @returns its exit code */
  stop(): Promise<number | null>;
}

/**
 * @param actorFile  the bundled `new-mail-actor.ts`
 * @param logFile  receives the warnings and errors of the service
 */
export function startNewMailProcess(actorFile: string, scene: NewMailScene, logFile: string): NewMailProcess {
  const log = openSync(logFile, 'a');
  // Its stdin ends with this process, so it never outlives the soak.
  const child = spawn(process.execPath, ['--enable-source-maps', actorFile, JSON.stringify(scene)], {
    stdio: ['pipe', 'ignore', log],
  });
  closeSync(log);
  // It may be killed before it reads.
  child.stdin?.on('error', () => undefined);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  return {
    async kill() {
      const isAlive = child.kill('SIGKILL') && child.exitCode === null;
      await ended;
      return isAlive && child.signalCode === 'SIGKILL';
    },
    stop() {
      child.stdin?.end();
      return ended;
    },
  };
}

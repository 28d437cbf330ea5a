import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';

const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

export const FAKETIME_PROGRAMS = [LIBRARY];

/** The wall clock of a process, which a test can step while it runs. Times that it measures (CLOCK_MONOTONIC) are real. */
export interface FakedClock {
  /** The environment of the process. */
  readonly env: Record<string, string>;
  /** @param hours  from the real time */
  stepTo(hours: number): void;
  remove(): void;
}

export function fakedClock(): FakedClock {
  const folder = mkdtempSync('/tmp/cs-clock-');
  const file = `${folder}/offset`;
  const stepTo = (hours: number) => writeFileSync(file, `${hours < 0 ? '' : '+'}${hours}h\n`);
  stepTo(0);
  return {
    env: {
      ...{ LD_PRELOAD: LIBRARY, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1' },
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    stepTo,
    remove: () => rmSync(folder, { recursive: true }),
  };
}

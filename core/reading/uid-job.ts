import * as z from 'zod';
import type { Job } from './job.ts';

/** Finds the calendar objects in which a component has a UID. Gives their indices. */

export interface UidInput {
  readonly objects: readonly string[];
  readonly uid: string;
}

export const uidJob: Job<UidInput, readonly number[]> = {
  input: z.object({ objects: z.array(z.string()), uid: z.string() }),
  output: z.array(z.int().min(0)),
};

import * as z from 'zod';
import { type Finding, storedFinding } from '../safety/finding.ts';
import type { SafetyFacts } from '../safety/safety-facts.ts';
import type { Job } from './job.ts';

/** The safety filter. */

const strings = z.set(z.string());

export const safetyJob: Job<SafetyFacts, readonly Finding[]> = {
  input: z.object({
    subject: z.string(),
    body: z.string(),
    passedOn: z.string(),
    passedOnAt: z.int().min(0),
    to: z.array(z.string()),
    newAddresses: strings,
    knownDomains: z.map(z.string(), z.number()),
    ownDomains: strings,
    threadAddresses: strings,
    answered: z
      .object({
        senders: z.array(z.string()),
        others: strings,
        isSenderKnown: z.boolean(),
        text: z.string(),
      })
      .nullable(),
  }),
  output: z.array(storedFinding),
};

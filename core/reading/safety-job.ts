import * as z from 'zod';
import { type Finding, storedFinding } from '../safety/finding.ts';
import type { SafetyFacts } from '../safety/safety-facts.ts';
import { safetyFindings } from '../safety/safety-filter.ts';
import type { Job } from './job.ts';
import { SHORT_CHARS } from './stated-job.ts';

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
  read: async (facts) => safetyFindings(facts),
  readShort: (facts) => (charsOf(facts) <= SHORT_CHARS ? safetyFindings(facts) : undefined),
};

function charsOf({ subject, body, passedOn, answered }: SafetyFacts): number {
  return subject.length + body.length + passedOn.length + (answered?.text.length ?? 0);
}

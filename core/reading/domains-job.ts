import * as z from 'zod';
import type { NamedDomains, NamingText } from '../safety/safety-facts.ts';
import type { Job } from './job.ts';

/** The domains that a message names: those that the safety filter compares with known ones. */

export const domainsJob: Job<NamingText, NamedDomains> = {
  input: z.object({
    to: z.array(z.string()),
    senders: z.array(z.string()),
    subject: z.string(),
    body: z.string(),
  }),
  output: z.object({ domains: z.array(z.string()), complete: z.boolean() }),
};

import * as z from 'zod';

/** What the rows of a list have besides their usual fields. */
export const fields = z.enum(['triage']).optional().meta({
  description: 'triage: also recipients, flags, attachment names, list and the start of each text.',
});

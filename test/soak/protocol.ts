import * as z from 'zod';

/** What the soak and its player tell each other. */

export const playOrder = z.object({
  seed: z.int(),
  from: z.int(),
  until: z.int(),
  workerFile: z.string(),
  documents: z.string().optional(),
});

export type PlayOrder = z.infer<typeof playOrder>;

export const told = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('plays'), number: z.int() }),
  z.object({
    kind: z.literal('played'),
    number: z.int(),
    what: z.string(),
    answers: z.int(),
    /** Of the largest answer. */
    bytes: z.int(),
    /** What became of its attachments: `text`, or why there is none. */
    read: z.array(z.string()),
    /** What was wrong, in words; empty where nothing was. */
    wrong: z.array(z.string()),
  }),
  z.object({ kind: z.literal('ready'), seeds: z.int() }),
]);
export type Told = z.infer<typeof told>;

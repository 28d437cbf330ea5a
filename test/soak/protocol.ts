import * as z from 'zod';

/** What the soak and its player tell each other. */

export const KINDS = ['mime', 'html', 'ics', 'caldav', 'document'] as const;

export type Kind = (typeof KINDS)[number];

const kind = z.enum(KINDS);

/** How the words of a fault begin that a busy machine can cause. */
export const GROWS = 'time grows faster than size';

/** The same kind and seed make the same sample on the same machine. */
export const sampleName = z.object({ kind, seed: z.int() });

export type SampleName = z.infer<typeof sampleName>;

export const playOrder = z.object({
  /** Those to play, in order; `raw`, in base64, in the place of what the seed makes. */
  samples: z.array(sampleName.extend({ raw: z.string().optional() })),
  workerFile: z.string(),
  documents: z.string().optional(),
});

export type PlayOrder = z.infer<typeof playOrder>;

export const told = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), seeds: z.int() }),
  z.object({ kind: z.literal('plays'), index: z.int() }),
  z.object({
    kind: z.literal('played'),
    index: z.int(),
    answers: z.int(),
    /** Of the largest answer. */
    bytes: z.int(),
    ms: z.number(),
    /** Whether the time that it takes was compared with that of a larger one. */
    compared: z.boolean(),
    /** What became of its attachments: `text`, or why there is none. */
    read: z.array(z.string()),
    /** What was wrong, in words; empty where nothing was. */
    wrong: z.array(z.string()),
  }),
]);
export type Told = z.infer<typeof told>;

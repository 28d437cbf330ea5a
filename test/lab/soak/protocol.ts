import * as z from 'zod';

/** The messages between the soak and its player. */

export const KINDS = ['mime', 'html', 'ics', 'caldav', 'document'] as const;

export type Kind = (typeof KINDS)[number];

const kind = z.enum(KINDS);

/** How the words of a fault begin that a busy machine can cause. */
export const GROWS = 'time grows faster than size';

/** On the same machine, the same kind and seed give the same sample. */
export const sampleName = z.object({ kind, seed: z.int() });

export type SampleName = z.infer<typeof sampleName>;

export const playOrder = z.object({
  /**
   * The samples to play, in order. `raw` (base64) replaces what the seed would generate, and `larger` its larger sample:
   * the two are then compared.
   */
  samples: z.array(sampleName.extend({ raw: z.string().optional(), larger: z.string().optional() })),
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
    /** Size of the largest response. */
    bytes: z.int(),
    ms: z.number(),
    /** Whether its time was compared with that of a larger sample. */
    compared: z.boolean(),
    /** The outcome of each attachment: `text`, or why there is none. */
    read: z.array(z.string()),
    /** What was wrong, in words; empty if nothing was. */
    wrong: z.array(z.string()),
  }),
]);
export type Told = z.infer<typeof told>;

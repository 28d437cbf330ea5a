import * as z from 'zod';
import { loopDelay } from './loop-delay.ts';

// What the processes of a benchmark are asked and answer. They are apart from their programs, which begin when they are
// imported: the benchmark would start their servers itself, and never end.

const door = z.object({
  name: z.string(),
  url: z.url(),
  headers: z.record(z.string(), z.string()),
  /** JSON to post. Null: a GET. */
  body: z.string().nullable(),
  /** The status of the response. */
  status: z.int(),
});
export type Door = z.infer<typeof door>;

export const probeQuestion = z.discriminatedUnion('kind', [
  /** Each door is asked at each of its turns, the reference at every turn. */
  z.object({ kind: z.literal('start'), doors: z.array(door), reference: door, everyMs: z.number() }),
  z.object({ kind: z.literal('stop') }),
]);
export type ProbeQuestion = z.infer<typeof probeQuestion>;

const waits = z.object({ count: z.int(), medianMs: z.number(), longestMs: z.number(), wrong: z.string() });
export const probeAnswer = z.record(z.string(), waits);
export type ProbeAnswer = z.infer<typeof probeAnswer>;

/** Of a server that does nothing. */
export const bareAnswer = z.object({ port: z.int(), delay: loopDelay });

const ports = z.record(z.string(), z.int());
export const strangersAnswer = z.object({
  /** Ports by name. */
  calendars: ports,
  imap: ports,
  smtp: ports,
  caldav: ports,
});

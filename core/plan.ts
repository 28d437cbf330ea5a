import { createHash } from 'node:crypto';
import * as z from 'zod';

/**
 * The plan of a write: what will run, frozen when the call is made. The arguments are not looked at again.
 * Stored sealed; the owner's page is rendered from it; its digest is what the owner countersigns.
 */

const messageTarget = z.strictObject({
  kind: z.literal('message'),
  /** As the caller named it. */
  id: z.string(),
  accountId: z.int().min(1),
  /** Where it was when the plan was made. */
  path: z.string(),
  uidValidity: z.string(),
  uid: z.int().min(1),
  /** The server's own id of the message, where it has one (EMAILID, X-GM-MSGID). */
  stableId: z.string().nullable(),
  /** SHA-256 of what stays the same when the message moves: see `fingerprint` of a MessageRow. */
  fingerprint: z.string(),
  /** For the owner's eyes: what `raw` cannot tell. */
  from: z.string(),
  subject: z.string(),
  date: z.string(),
  /** A line of its text; empty where none was read. */
  preview: z.string().default(''),
  internalDateMs: z.int(),
  sizeBytes: z.int(),
  /** What it is remembered by once a request has moved it (`relocationMark`); plans of older versions lack it. */
  mark: z.string().optional(),
});

export const planSchema = z.strictObject({
  v: z.literal(1),
  tool: z.string(),
  /** Null for what belongs to no account, such as a tracker. */
  account: z.strictObject({ accountId: z.int().min(1), email: z.string() }).nullable(),
  /** The SMTP envelope of a send. */
  envelope: z.strictObject({ from: z.string(), to: z.array(z.string()).min(1) }).nullable(),
  /** The message byte for byte but for its Date, base64. */
  raw: z.string().nullable(),
  /** Bare ids of our own that the run needs, such as the Message-ID of `raw`. */
  messageId: z.string().nullable(),
  targets: z.array(messageTarget),
  /** Names of the holds that planning found. */
  holds: z.array(z.string()),
  warnings: z.array(z.string()),
  /** What the owner must see and `raw` cannot tell; labels and plain text. */
  display: z.array(z.strictObject({ label: z.string(), text: z.string() })),
  /** What else the tool's run needs, in a shape of its own: a folder, a label, a tracker. `display` says all of it. */
  record: z.record(z.string(), z.unknown()).nullable(),
});

export type MessageTarget = z.infer<typeof messageTarget>;
export type ActionPlan = z.infer<typeof planSchema>;

/** The one text of a plan: its digest is taken over it, and it is what is sealed. */
export function planText(plan: ActionPlan): string {
  return canonicalJson(plan);
}

/** SHA-256, hex, over the whole plan. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/**
 * JSON with the keys of every object in code-unit order, so that equal values give equal text.
 * Values that are undefined are left out, as JSON.stringify does.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}

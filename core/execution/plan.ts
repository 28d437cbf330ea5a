import * as z from 'zod';
import { type StoredAction, storedAction } from '../actions/stored-action.ts';
import { type PriorRead, readLine } from '../provenance/read-lines.ts';
import { type Finding, storedFinding } from '../safety/finding.ts';
import { canonicalJson } from '../text/canonical-json.ts';

/**
 * The plan of a write: what will run, fixed when the call is made. It is stored sealed. The owner's page is rendered from
 * it, and its digest is what the owner approves. A run does not read the arguments: they are kept to plan the request anew
 * if the owner changes it, or tries it again.
 */

/** Versions below it are from before the first release. */
const VERSION = 4;

const planSchema = z
  .strictObject({
    v: z.literal(VERSION),
    tool: z.string(),
    /** What planning found, for the owner. */
    findings: z.array(storedFinding),
    args: z.record(z.string(), z.unknown()),
    /** What was read before the request. */
    reads: z.array(readLine),
    purpose: z.string().optional(),
    action: storedAction,
  })
  .transform(({ v: _version, purpose = null, ...plan }): Plan => ({ ...plan, purpose }));

interface Plan {
  readonly tool: string;
  /** The arguments of the call. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly findings: Finding[];
  readonly reads: PriorRead[];
  /** Why the agent asks, in its own words. Null: it did not say. */
  readonly purpose: string | null;
  readonly action: StoredAction;
}

/** The only text of a plan: it is hashed for the digest, and sealed. */
export function planText({ purpose, ...plan }: Plan): string {
  return canonicalJson({ v: VERSION, ...plan, purpose: purpose ?? undefined });
}

/** Why a plan cannot be shown or run. */
export class UnreadablePlan extends Error {
  /** `version`: another version of Countersign wrote it. `damaged`: it is not what was filed. */
  readonly code: 'version' | 'damaged';

  constructor(code: UnreadablePlan['code'], options?: { cause: unknown }) {
    super(`the plan cannot be read: ${code}`, options);
    this.name = 'UnreadablePlan';
    this.code = code;
  }
}

const versioned = z.looseObject({ v: z.int() });

/** @throws UnreadablePlan */
export function readPlanText(text: string): Plan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UnreadablePlan('damaged', { cause });
  }
  const version = versioned.safeParse(value).data?.v;
  if (version !== undefined && version !== VERSION) throw new UnreadablePlan('version');
  const plan = planSchema.safeParse(value);
  if (!plan.success) throw new UnreadablePlan('damaged', { cause: plan.error });
  return plan.data;
}

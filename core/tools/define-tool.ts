import type { z } from 'zod';
import type { Identifiers } from '../identifiers.ts';
import type { Limits } from '../limits.ts';
import type { Mailbox } from '../mail-call.ts';
import type { Outcome, Result } from '../outcome.ts';
import type { Group, Mode } from '../permissions.ts';
import { type ActionPlan, digestOf, type MessageTarget } from '../plan.ts';
import type { MailCall, Start } from '../ports/mail.ts';
import type { Account, Credential, Owner } from '../ports/storage.ts';
import { type Arguments, argumentsOf } from '../schema.ts';
import type { LookUpPorts, OwnPorts, RunPorts } from '../tool-ports.ts';

interface ToolFacts {
  readonly name: string;
  /** In the owner's words: the dashboard's heading. */
  readonly title: string;
  readonly description: string;
  /** Null: always permitted, for the key's own affairs. */
  readonly group: Group | null;
  /** Paths of third-party text in the result, such as `messages[].from`. */
  readonly untrusted: readonly string[];
  /**
   * Its result: of a read what it found, of a write what its approval shows as `result` once it is executed. Without
   * what the flagging of third-party text adds.
   */
  readonly output: z.ZodType;
}

interface ReadFacts extends ToolFacts {
  /** Changes nothing. */
  readonly kind: 'read';
  /** Those of the untrusted fields that are put between fence lines. */
  readonly wrapped: readonly string[];
}

interface OwnFacts extends Omit<ReadFacts, 'kind'> {
  /** Changes the key's own requests only. */
  readonly kind: 'own';
}

interface WriteFacts extends ToolFacts {
  /** `gated`: always an approval, also when it runs at once. `light`: in mode `direct` it just runs. */
  readonly kind: 'gated' | 'light';
  /** The action word of its approvals; null where API.md shows none. */
  readonly action: string | null;
  /** Counts against the send limit; where `recipients` is given, when there are any. */
  readonly sends: boolean;
  /** The same request again within the hour is held: sends and events. */
  readonly repeatable: boolean;
  /** It moves, copies or labels its messages: they are remembered before it starts. */
  readonly relocates?: boolean;
  /** Does it. @returns the approval's result @throws MailError */
  perform(plan: ActionPlan, run: RunContext): Promise<Result>;
  /** After a crash between start and settlement: did it happen? */
  check(plan: ActionPlan, run: RunContext): Promise<Checked>;
  /** Whom it writes to, or has another write to; without it, those of the plan's envelope. */
  recipients?(plan: ActionPlan): readonly string[];
  /** The result of a light write that ran at once, as its route shows it. */
  direct?(plan: ActionPlan, result: Result): Result;
  /** The shape of that. */
  readonly directOutput?: z.ZodType;
  /** What is left to do after success; repeated until it is done, so each part of it must be safe to repeat. */
  followUp?(plan: ActionPlan, run: RunContext): Promise<void>;
}

interface Bound<R, Context = CallContext> {
  readonly inputSchema: Arguments<unknown>['jsonSchema'];
  /** Checks the arguments. @throws ServiceError invalid_arguments */
  bind(args: unknown): (context: Context) => Promise<R>;
}

export type ReadTool = ReadFacts & Bound<Found>;

export type OwnTool = OwnFacts & Bound<Found, OwnContext>;

/** Changes something in the world. What `bind` gives finds the target, freezes what will run, and collects what
 * the owner must see and what the holds must know; only that plan reaches `perform`. */
export type WriteTool = WriteFacts & Bound<Planned>;

export type Tool = ReadTool | OwnTool | WriteTool;

export type Checked =
  | { readonly kind: 'happened'; readonly result: Result }
  /** It certainly did not happen, and running it again does no harm. */
  | { readonly kind: 'repeat' }
  | { readonly kind: 'unknown' };

export interface Planned {
  readonly plan: ActionPlan;
  /** What makes two requests the same, besides the tool: the resolved arguments. */
  readonly request: Readonly<Record<string, unknown>>;
  /** What it would change, as `targetOf` names it. */
  readonly targets: readonly string[];
}

/** What a read found. */
export type Found =
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'empty'; readonly result: Result }
  /** A result that can be made smaller: `at(n)` for n rows or characters, `at(most)` being all there is. */
  | { readonly kind: 'cut'; readonly most: number; at(n: number): Result }
  | { readonly kind: 'outcome'; readonly outcome: Outcome };

/** What a call knows. */
export interface CallContext {
  readonly ports: LookUpPorts;
  readonly owner: Owner;
  readonly credential: Credential;
  readonly accounts: readonly Account[];
  readonly limits: Limits;
  /** The effective mode of the tool's group; `on` for the key's own affairs. */
  readonly mode: Mode;
  readonly identifiers: Identifiers;
  readonly now: Date;
  readonly dashboardUrl: string;
  /** A cursor is bound to tool and arguments by this. */
  readonly cursorScope: string;
  /** Ends the work when the caller stops waiting. */
  readonly signal: AbortSignal;
  mailCall(account: Account): MailCall;
  /** Notes for the activity row what was shown in full or changed, or listed. */
  shown(id: string): void;
  listed(id: string): void;
}

/** What a call knows that withdraws a request of its own key. */
export interface OwnContext extends CallContext {
  readonly ports: OwnPorts;
}

/** What a run knows: no caller, no arguments. */
export interface RunContext {
  readonly ports: RunPorts;
  readonly ownerId: string;
  /** Stays the same when the run is repeated: for writes to our own storage. */
  readonly requestId: string;
  /** When the run started: the Date of what is sent. */
  readonly date: Date;
  readonly start: Start;
  /** @throws MailError `refused` when the account is no longer connected */
  mailbox(accountId: number): Promise<Mailbox>;
}

/** All four are said: what MCP takes for granted where one is missing is the worst. Source: MCP, ToolAnnotations. */
interface ToolHints {
  readonly readOnlyHint: boolean;
  /** It may do what cannot be taken back. */
  readonly destructiveHint: boolean;
  /** The same call again changes nothing more. */
  readonly idempotentHint: boolean;
  /** It deals with more than the service's own records: mailboxes and calendars. */
  readonly openWorldHint: boolean;
}

export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: ToolHints;
}

export function defineRead<S extends z.ZodType>(
  tool: ReadFacts & { input: S; run(args: z.output<S>, context: CallContext): Promise<Found> },
): ReadTool {
  const { input, run, ...facts } = tool;
  return { ...facts, ...bound(argumentsOf(input), run) };
}

export function defineOwn<S extends z.ZodType>(
  tool: OwnFacts & { input: S; run(args: z.output<S>, context: OwnContext): Promise<Found> },
): OwnTool {
  const { input, run, ...facts } = tool;
  return { ...facts, ...bound(argumentsOf(input), run) };
}

export function defineWrite<S extends z.ZodType>(
  tool: WriteFacts & { input: S; plan(args: z.output<S>, context: CallContext): Promise<Planned> },
): WriteTool {
  const { input, plan, ...facts } = tool;
  return { ...facts, ...bound(argumentsOf(input), plan) };
}

function bound<A, R, Context>(
  input: Arguments<A>,
  work: (args: A, context: Context) => Promise<R>,
): Bound<R, Context> {
  return {
    inputSchema: input.jsonSchema,
    bind(args) {
      const parsed = input.parse(args);
      return (context) => work(parsed, context);
    },
  };
}

export function isWrite(tool: Tool): tool is WriteTool {
  return tool.kind === 'gated' || tool.kind === 'light';
}

export function listingOf(tool: Tool): ToolListing {
  const { name, title, description, inputSchema } = tool;
  return { name, title, description, inputSchema, annotations: hintsOf(tool) };
}

function hintsOf({ kind, group }: Tool): ToolHints {
  return {
    readOnlyHint: kind === 'read',
    destructiveHint: kind === 'gated',
    // Of a light write it depends: to mark a message twice changes nothing, to note something twice does.
    idempotentHint: kind === 'read' || kind === 'own',
    openWorldHint: group !== null && !group.startsWith('trackers:'),
  };
}

/** The same message is the same target wherever it lies. */
export function targetOf(target: Pick<MessageTarget, 'accountId' | 'stableId' | 'fingerprint'>): string {
  return `${targetsBegin(target.accountId)}${target.stableId ?? target.fingerprint}`;
}

/** What the names of an account's messages begin with, also as they are filed. */
export function targetsBegin(accountId: number): string {
  return `message:${accountId}:`;
}

/** A target as it is filed: hashed, but for the account of a message. */
export function filedTarget(target: string): string {
  return `${/^message:\d+:/.exec(target)?.[0] ?? ''}${digestOf(target)}`;
}

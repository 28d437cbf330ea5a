import type * as z from 'zod';
import type { GistText } from '../actions/gist.ts';
import type { thirdPartyInWrites } from '../call/approval-shape.ts';
import type { CallContext, OwnContext } from '../call/context.ts';
import type { EndedApproval, Pending, Success } from '../call/outcome.ts';
import type { ErrorCode } from '../contract/errors.ts';
import { type PurposeArgument, type WriteArguments, writeArgumentsOf } from '../contract/purpose.ts';
import type { Result } from '../contract/result.ts';
import { type Arguments, argumentsOf } from '../contract/schema.ts';
import {
  type Authored,
  type NoText,
  type ThirdPartyFields,
  type ThirdPartyPath,
  thirdPartyFields,
} from '../contract/text-author.ts';
import type { Group } from '../keys/permissions.ts';
import type { LightPlanned, Planned, Purposed } from '../plans/planned.ts';
import type { UntrustedMarks } from '../safety/untrusted.ts';
import type { ToolWords } from './tool-words.ts';

interface ToolFacts {
  readonly name: string;
  /** In the owner's words: the dashboard's heading. */
  readonly title: string;
  /** The same in a sentence of the activity. */
  readonly words: ToolWords;
  readonly description: string;
  /** Null: always permitted, for the key's own affairs. */
  readonly group: Group | null;
  /**
   * Its result, and who wrote each text in it. For a read, what it found; for a write, the `result` of its approval once it is executed.
   * Without the fields that mark third-party text.
   */
  readonly output: z.ZodType;
  /** Its own error codes: those that it can return beyond the ones that follow from the steps of its call (`errorsOf`). */
  readonly errors: readonly ErrorCode[];
}

export interface ReadFacts extends ToolFacts {
  /** Changes nothing. */
  readonly kind: 'read';
}

export interface OwnFacts extends Omit<ReadFacts, 'kind'> {
  /** Changes only the key's own requests. */
  readonly kind: 'own';
}

interface WriteFacts extends ToolFacts {
  readonly group: Group;
  /** The action word of its approvals; null: they have none. */
  readonly action: string | null;
  /** The texts of its gist that its caller wrote, every letter of them. Default: none, for others may have written them. */
  readonly ownTexts?: readonly GistText[];
}

export interface Bound<R, Context = CallContext> {
  readonly inputSchema: Arguments<unknown>['jsonSchema'];
  /** Checks the arguments. @throws ServiceError invalid_arguments */
  bind(args: unknown): (context: Context) => Promise<R>;
}

/** What follows from its output. */
export interface Marked {
  /** Of its answer, but for an answer that is an approval. */
  readonly thirdParty: ThirdPartyFields;
}

export type ReadTool = ReadFacts & Marked & Bound<Found>;

export type OwnTool = OwnFacts & Marked & Bound<Found, OwnContext>;

type GatedTool = WriteFacts & { readonly kind: 'gated' } & Bound<Purposed<Planned>>;
export type LightTool = WriteFacts &
  Marked & {
    readonly kind: 'light';
    readonly directOutput: z.ZodType;
  } & Bound<Purposed<LightPlanned>>;

/**
 * Changes something in the world. The function that `bind` returns finds the target, chooses and fills the
 * action, and collects the findings. Only the action runs.
 */
export type WriteTool = GatedTool | LightTool;

export type Tool = ReadTool | OwnTool | WriteTool;

/** The result of a read. @typeParam R  its result, in the form of the tool's `output` */
export type Found<R = Result> =
  | { readonly kind: 'result'; readonly result: R }
  | { readonly kind: 'empty'; readonly result: R }
  /** A result that can be made smaller: `at(n)` contains n rows or characters, `at(most)` everything. */
  | { readonly kind: 'cut'; readonly most: number; at(n: number): R }
  | { readonly kind: 'outcome'; readonly outcome: Success<R> | Pending }
  /** The call ends with `first`, and its caller then waits at most `waitS` seconds until the approval has ended. */
  | {
      readonly kind: 'wait';
      readonly approvalId: string;
      readonly first: Pending;
      readonly waitS: number;
      read(now: Date): Promise<Success<R> | Pending>;
    };

/**
 * All four are always given, because MCP assumes the worst for a missing one. Source: MCP, ToolAnnotations.
 */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  /** It may do something irreversible. */
  readonly destructiveHint: boolean;
  /** The same call again changes nothing more. */
  readonly idempotentHint: boolean;
  /** It reaches beyond the service's own records: mailboxes and calendars. */
  readonly openWorldHint: boolean;
}

export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: ToolHints;
}

/** What the compiler knows of a tool: its name, its arguments, and its result as the call that runs it returns it. */
export interface Typed<Name extends string, Args, R> {
  readonly name: Name;
  /** Only for the compiler. It has no value. */
  readonly Types?: { readonly args: Args; readonly result: R };
}

type Output = z.ZodType<unknown, Result>;

/** A write whose result has third-party text that the answer about its approval would not mark does not fit. */
type MarkedInApprovals<O extends Output> = NoText<
  'not in thirdPartyInWrites',
  Exclude<ThirdPartyPath<O>, ThirdPartyPath<typeof thirdPartyInWrites>>
>;

/** Defines a read. Its result has the type of its `output`. */
export function defineRead<const N extends string, I extends z.ZodType, O extends Output>(
  tool: ReadFacts & {
    name: N;
    input: I;
    output: O & Authored<O>;
    run(args: z.output<I>, context: CallContext): Promise<Found<NoInfer<z.input<O>>>>;
  },
): ReadTool & Typed<N, z.input<I>, z.input<O> & UntrustedMarks> {
  const { input, run, ...facts } = tool;
  return { ...facts, thirdParty: thirdPartyFields(tool.output), ...bound(argumentsOf(input), run) };
}

/** Defines a call that withdraws a request of its own key. */
export function defineOwn<const N extends string, I extends z.ZodType, O extends Output>(
  tool: OwnFacts & {
    name: N;
    input: I;
    output: O & Authored<O>;
    run(args: z.output<I>, context: OwnContext): Promise<Found<NoInfer<z.input<O>>>>;
  },
): OwnTool & Typed<N, z.input<I>, z.input<O>> {
  const { input, run, ...facts } = tool;
  return { ...facts, thirdParty: thirdPartyFields(tool.output), ...bound(argumentsOf(input), run) };
}

/**
 * Defines a write that is always an approval, even if it runs at once. The result of its action has the type
 * of its `output`.
 */
export function defineWrite<const N extends string, I extends z.ZodObject, O extends Output>(
  tool: WriteFacts & {
    name: N;
    input: I;
    output: O & Authored<O> & MarkedInApprovals<O>;
    plan(args: z.output<I>, context: CallContext): Promise<Planned<NoInfer<z.input<O>>>>;
  },
): WriteTool & Typed<N, z.input<I> & PurposeArgument, EndedApproval<z.input<O>>> {
  const { input, plan, ...facts } = tool;
  return { ...facts, kind: 'gated', ...bound(writeArgumentsOf(input), purposed(plan)) };
}

/**
 * Defines a write that runs without an approval in mode `direct`, and then answers with its `directOutput`.
 */
export function defineLightWrite<
  const N extends string,
  I extends z.ZodObject,
  O extends Output,
  D extends Output,
>(
  tool: WriteFacts & {
    name: N;
    input: I;
    output: O & Authored<O> & MarkedInApprovals<O>;
    directOutput: D & Authored<D>;
    plan(
      args: z.output<I>,
      context: CallContext,
    ): Promise<LightPlanned<NoInfer<z.input<O>>, NoInfer<z.input<D>>>>;
  },
): WriteTool & Typed<N, z.input<I> & PurposeArgument, EndedApproval<z.input<O>> | z.input<D>> {
  const { input, plan, ...facts } = tool;
  return {
    ...facts,
    kind: 'light',
    thirdParty: thirdPartyFields(tool.directOutput),
    ...bound(writeArgumentsOf(input), purposed(plan)),
  };
}

/** Every write takes a purpose, which no tool needs to know of. */
function purposed<A, P extends Planned>(plan: (args: A, context: CallContext) => Promise<P>) {
  return async ({ own, purpose }: WriteArguments<A>, context: CallContext): Promise<Purposed<P>> => ({
    ...(await plan(own, context)),
    purpose,
  });
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
    // It depends for a light write: marking a message twice changes nothing, adding a note twice does.
    idempotentHint: kind === 'read' || kind === 'own',
    openWorldHint: group !== null && !group.startsWith('trackers:'),
  };
}

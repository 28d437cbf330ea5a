import type { Outcome } from '../../core/call/outcome.ts';
import type { KeyTool } from '../../core/gate/key-calls.ts';

/**
 * The tools of a key as those of the AI SDK or of LangChain. Neither is imported: an AI SDK tool is a plain object, and
 * LangChain's class is an argument.
 */

export { INSTRUCTIONS } from '../../core/tools/instructions.ts';

/** A tool of the AI SDK, version 6 or 7. Source: ai-sdk.dev, Tool Calling. */
export interface AiSdkTool {
  readonly description: string;
  readonly inputSchema: InputSchema;
  execute(args: unknown, options: { readonly abortSignal?: AbortSignal }): Promise<Outcome>;
  toModelOutput(result: { readonly output: Outcome }): { type: 'json' | 'error-json'; value: JsonObject };
}

/** A JSON Schema that checks nothing itself. Source: standardschema.dev, Standard JSON Schema 1. */
export interface InputSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): { readonly value: unknown };
    readonly jsonSchema: Readonly<Record<'input' | 'output', () => JsonObject>>;
  };
}

export type JsonObject = { [name: string]: JsonValue };
export type JsonValue = null | string | number | boolean | JsonObject | JsonValue[];

/**
 * Returns the tools for `generateText`, `streamText` or an agent of the AI SDK. A tool never throws: the model reads an
 * error as its code and message, and a write that waits as `pending_approval`. Aborting the run ends a wait.
 * @param tools  what `service.as(…).tools()` returned, or some of it
 */
export function aiSdkTools(tools: readonly KeyTool[]): Record<string, AiSdkTool> {
  return Object.fromEntries(tools.map((tool) => [tool.name, aiSdkTool(tool)]));
}

function aiSdkTool({ description, inputSchema, call }: KeyTool): AiSdkTool {
  // The AI SDK changes the schema that it gets.
  const schema = () => jsonObject(inputSchema);
  return {
    description,
    inputSchema: {
      '~standard': {
        version: 1,
        vendor: 'countersign',
        // The call checks the arguments. Its error names what is wrong.
        validate: (value) => ({ value }),
        jsonSchema: { input: schema, output: schema },
      },
    },
    execute: (args, { abortSignal }) => call(args, { signal: abortSignal }),
    toModelOutput: ({ output }) => ({
      type: output.status === 'error' ? 'error-json' : 'json',
      value: jsonObject(output),
    }),
  };
}

/** What the constructor of LangChain's `DynamicStructuredTool` takes. Source: @langchain/core 1, tools. */
export interface LangChainFields {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  readonly verboseParsingErrors: true;
  func(args: unknown, run: unknown, config?: { readonly signal?: AbortSignal }): Promise<string>;
}

/**
 * Returns the tools for a model or agent of LangChain. A result is the JSON of the outcome: also an error, with its code
 * and message, and a write that waits, as `pending_approval`. LangChain checks the arguments before the call: its agents
 * report what is wrong to the model, `invoke` throws it. Aborting the run ends a wait.
 * @param tools  what `service.as(…).tools()` returned, or some of it
 * @param Tool  `DynamicStructuredTool` of `@langchain/core/tools`
 */
export function langChainTools<T>(tools: readonly KeyTool[], Tool: new (fields: LangChainFields) => T): T[] {
  return tools.map(
    ({ name, description, inputSchema, call }) =>
      new Tool({
        name,
        description,
        schema: jsonObject(inputSchema),
        verboseParsingErrors: true,
        func: async (args, _run, config) => JSON.stringify(await call(args, { signal: config?.signal })),
      }),
  );
}

/** A copy of what goes over the wire as JSON. */
function jsonObject(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

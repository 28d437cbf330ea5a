import { IDEMPOTENCY_KEY } from '../../../core/approvals/idempotency.ts';
import { isRecord } from '../../../core/contract/result.ts';
import type { Tool } from '../../../core/tools/define-tool.ts';
import type { JsonObject } from '../json-body.ts';
import type { Route, ToolChoice } from '../routes.ts';
import { exampleOf, jsonContent } from './examples.ts';
import type { Schemas } from './json-schema.ts';
import { responsesOf } from './responses.ts';
import { toolsOf } from './route-tools.ts';

/** One route as an operation of the description. */

const NAME: JsonObject = { type: 'string', maxLength: 64, examples: ['get_email'] };

export function operationOf(route: Route, schemas: Schemas): JsonObject {
  if (route.call === 'describe' || route.call === 'list_tools') {
    const open = route.call === 'describe';
    return {
      operationId: open ? 'get_openapi' : 'list_tools',
      summary: open ? 'This description' : 'List the tools of the key',
      ...(open ? { security: [], parameters: [IF_NONE_MATCH] } : {}),
      responses: responsesOf(route, [], schemas),
    };
  }
  const { name, tools: names } = route.call;
  const tools = toolsOf(route);
  const [first] = tools;
  const described =
    tools.length === 1 && first !== undefined
      ? { summary: first.title, description: first.description }
      : {
          summary: names.length === 0 ? 'Call a tool by its name' : `One of ${names.join(', ')}`,
          description: tools.map((tool) => `- ${tool.name}: ${tool.description}`).join('\n'),
        };
  const groups = [...new Set(tools.map(({ group }) => group ?? 'none'))];
  const permission = names.length === 0 ? "the tool's own" : groups.join(' or ');
  return {
    operationId: name,
    ...described,
    description: `${described.description}\n\nPermission group: ${permission}.`,
    ...parametersAndBody(route, route.call, tools, schemas),
    responses: responsesOf(route, tools, schemas),
  };
}

function parametersAndBody(
  route: Route,
  choice: ToolChoice,
  tools: readonly Tool[],
  schemas: Schemas,
): JsonObject {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const { properties: args, required } = argumentsOf(tools, inPath);
  const properties = { ...args, ...choice.choosers };
  const byTool = choice.tools.length === 0;
  const parameters: JsonObject[] = inPath.map((name) =>
    parameter('path', name, byTool ? NAME : (argumentsOf(tools, []).properties[name] ?? {}), true, schemas),
  );
  if (choice.from === 'query') {
    for (const [name, schema] of Object.entries(properties)) {
      parameters.push(parameter('query', name, schema, required.has(name), schemas));
    }
  }
  if (route.method !== 'GET') parameters.push(IDEMPOTENCY_HEADER);
  const body = byTool
    ? {
        type: 'object',
        properties: { arguments: { type: 'object', examples: [{}] } },
        required: ['arguments'],
      }
    : { type: 'object', properties, required: [...required, ...(choice.required ?? [])] };
  const schema = choice.apart
    ? { oneOf: tools.map((one) => objectOf(argumentsOf([one], inPath))) }
    : { ...body, additionalProperties: false };
  return {
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(choice.from === 'body'
      ? {
          requestBody: {
            required: route.body === 'required',
            content: jsonContent(schema, schemas),
          },
        }
      : {}),
  };
}

function objectOf({ properties, required }: ReturnType<typeof argumentsOf>): JsonObject {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}

const IF_NONE_MATCH: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETag of the description that the client has. If it is still current, the answer is 304.',
  schema: { type: 'string' },
};

const IDEMPOTENCY_HEADER: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'For 24 hours, the same request with the same key gets the answer of the first one.',
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source, examples: ['lunch-2026-11-27'] },
};

function parameter(
  where: 'path' | 'query',
  name: string,
  schema: JsonObject,
  required: boolean,
  schemas: Schemas,
): JsonObject {
  const { description, ...bare } = schema;
  return {
    name,
    in: where,
    ...(required ? { required: true } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    schema: bare,
    example: exampleOf(bare, schemas, name),
  };
}

/**
 * Returns the arguments of the tools that a route chooses from, without those in its path. An argument is required if
 * every tool requires it. If the path already names a message, the tool's `ids` argument is dropped.
 */
function argumentsOf(
  tools: readonly Tool[],
  inPath: readonly string[],
): { properties: Record<string, JsonObject>; required: ReadonlySet<string> } {
  const given = new Set(inPath.includes('id') ? [...inPath, 'ids'] : inPath);
  const properties: Record<string, JsonObject> = {};
  const wanted: Set<unknown>[] = [];
  for (const { inputSchema } of tools) {
    for (const [name, schema] of Object.entries(
      isRecord(inputSchema.properties) ? inputSchema.properties : {},
    )) {
      if (!given.has(name) && isRecord(schema)) properties[name] ??= schema;
    }
    wanted.push(new Set(Array.isArray(inputSchema.required) ? inputSchema.required : []));
  }
  const required = Object.keys(properties).filter((name) => wanted.every((names) => names.has(name)));
  return { properties, required: new Set(required) };
}

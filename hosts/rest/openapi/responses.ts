import * as z from 'zod';
import { isWrite, type Tool, type WriteTool } from '../../../core/tools/define-tool.ts';
import type { JsonObject } from '../json-body.ts';
import type { Route } from '../routes.ts';
import { approvalResultRef, EXECUTED, resultName } from './components.ts';
import { exampleOf, jsonContent } from './examples.ts';
import { failureRefs } from './failures.ts';
import { COMMON_HEADERS, headerRefs } from './headers.ts';
import { ref, type Schemas, typeName } from './json-schema.ts';

/** The responses of an operation. */

/** @param tools  the tools that the route may call */
export function responsesOf(route: Route, tools: readonly Tool[], schemas: Schemas): JsonObject {
  return {
    ...successes(route, tools, schemas),
    ...failureRefs(route),
  };
}

function successes(route: Route, tools: readonly Tool[], schemas: Schemas): Record<string, JsonObject> {
  if (route.call === 'describe') {
    const object = { type: 'object' };
    const fields = { openapi: { type: 'string' }, info: object, paths: object, webhooks: object };
    const schema = open(fields, Object.keys(fields));
    const example = {
      openapi: '3.1.0',
      info: { title: 'Countersign', version: '1.0.0' },
      paths: {},
      webhooks: {},
    };
    return {
      200: {
        description: 'The description.',
        headers: headerRefs([...COMMON_HEADERS, 'ETag']),
        content: { 'application/json': { schema, example } },
      },
      304: {
        description: 'The description is the one that If-None-Match names.',
        headers: headerRefs([...COMMON_HEADERS, 'ETag']),
      },
    };
  }
  if (route.call === 'list_tools') return { 200: success('The tools of the key.', ref('ToolList'), schemas) };
  const writes = tools.some(({ kind }) => kind !== 'read');
  const more = writes ? ['Idempotent-Replayed'] : [];
  const schema = successSchema(route, tools, schemas);
  const answers: Record<string, JsonObject> = {
    200: success(writes ? 'It ran, or it has ended.' : 'The result.', schema, schemas, more),
  };
  if (route.created !== undefined) {
    answers[201] = success('It ran and created this.', schema, schemas, [...more, 'Location']);
  }
  if (tools.some(isWrite) || tools.some(({ name }) => name === 'get_approval')) {
    const description = 'Nothing has happened yet: it waits for the owner, or is still under way.';
    answers[202] = success(description, ref('PendingApproval'), schemas, [...more, 'Location']);
  }
  return answers;
}

function success(
  description: string,
  schema: JsonObject,
  schemas: Schemas,
  headers: readonly string[] = [],
): JsonObject {
  return {
    description,
    headers: headerRefs([...COMMON_HEADERS, ...headers]),
    content: jsonContent(schema, schemas),
  };
}

function successSchema(route: Route, tools: readonly Tool[], schemas: Schemas): JsonObject {
  const answers = unique(tools.flatMap((tool) => successesOf(tool, route.form === 'bare', schemas)));
  return answers.length === 1 ? (answers[0] ?? {}) : { anyOf: answers };
}

function unique(schemas: readonly JsonObject[]): JsonObject[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}

/** The responses of one tool to calls that neither fail nor wait. */
function successesOf(tool: Tool, bare: boolean, schemas: Schemas): JsonObject[] {
  const name = resultName(tool);
  const result = name === undefined ? { type: 'object' } : ref(name);
  if (isWrite(tool)) {
    const ended = ended200(endedOf(tool, schemas));
    return tool.kind === 'gated' ? [ended] : [ranAtOnce(flagged(tool, result)), ended];
  }
  if (bare) return [result];
  if (tool.name === 'get_approval' || tool.kind === 'own') return [ended200(result)];
  return [envelope('ok', flagged(tool, result)), ...emptyOf(tool, result)];
}

/** The schema of a request of this tool that has ended. Generators for some languages name types by the titles. */
function endedOf(tool: WriteTool, schemas: Schemas): JsonObject {
  const own = approvalResultRef(tool);
  const name = typeName(tool.name);
  const { action } = tool;
  const approval = {
    ...EXECUTED.approval,
    tool: tool.name,
    ...(action === null ? {} : { action }),
    result: exampleOf(own, schemas),
  };
  return {
    title: `Ended${name}`,
    allOf: [ref('EndedApproval'), open({ approval: { title: `${name}Approval`, ...open({ result: own }) } })],
    examples: [{ ...EXECUTED, approval }],
  };
}

/** An object with these fields, and possibly others. */
function open(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required, additionalProperties: true };
}

function envelope(status: 'ok' | 'empty', result: JsonObject): JsonObject {
  return open({ status: { type: 'string', const: status }, result }, ['status', 'result']);
}

/** An empty list or a document without text says why it is empty. */
function emptyOf(tool: Tool, result: JsonObject): JsonObject[] {
  if (tool.group === null) return [];
  const why = open({ reason: { type: 'string', examples: ['no_match'] }, hint: { type: 'string' } }, [
    'reason',
  ]);
  return [envelope('empty', { allOf: [result, why] })];
}

/**
 * Adds the marks of third-party fields, unless the tool's own output has them because a result may lack such fields.
 */
function flagged(tool: Exclude<Tool, { kind: 'gated' }>, result: JsonObject): JsonObject {
  const hasMarks = tool.output instanceof z.ZodObject && 'untrusted_fields' in tool.output.shape;
  const { all, wrapped } = tool.thirdParty;
  if (all.length === 0 || hasMarks) return result;
  const wraps = wrapped.length > 0;
  return { allOf: [result, ref('UntrustedMarks'), ...(wraps ? [ref('UntrustedNonce')] : [])] };
}

function ended200(result: JsonObject): JsonObject {
  const fields = {
    status: { type: 'string', const: 'ok' },
    executed: { type: 'boolean' },
    auto_approved: { type: 'boolean', const: true },
    result,
  };
  return open(fields, ['status', 'executed', 'result']);
}

function ranAtOnce(result: JsonObject): JsonObject {
  const fields = {
    status: { type: 'string', const: 'ok' },
    executed: { type: 'boolean', const: true },
    auto_approved: { type: 'boolean', const: true },
    result,
  };
  return open(fields, ['status', 'executed', 'auto_approved', 'result']);
}

import * as z from 'zod';
import { thirdPartyFields } from '../../../core/contract/text-author.ts';
import { isWrite, type Tool, type WriteTool } from '../../../core/tools/define-tool.ts';
import type { JsonObject } from '../json-body.ts';
import type { Route } from '../routes.ts';
import { approvalResultRef, EXECUTED, type ResultForm, resultForms } from './components.ts';
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
  const answers = unique(tools.flatMap((tool) => successesOf(tool, route, schemas)));
  return answers.length === 1 ? (answers[0] ?? {}) : { anyOf: answers };
}

function unique(schemas: readonly JsonObject[]): JsonObject[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}

/** The responses of one tool to calls that neither fail nor wait. */
function successesOf(tool: Tool, route: Route, schemas: Schemas): JsonObject[] {
  // If the path names a message, there are no several.
  const forms = resultForms(tool).slice(0, route.path.includes('{id}') ? 1 : undefined);
  const results = forms.map(({ name }) => ref(name));
  const flaggedResults = forms.map(flagged);
  if (isWrite(tool)) return [...flaggedResults.map(ranAtOnce), ended200(endedOf(tool, schemas))];
  if (route.form === 'bare') return results;
  if (tool.name === 'get_approval' || tool.kind === 'own') return results.map(ended200);
  return [...flaggedResults.map((result) => envelope('ok', result)), ...emptyOf(tool, results)];
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
function emptyOf(tool: Tool, [result]: readonly JsonObject[]): JsonObject[] {
  if (tool.group === null || result === undefined) return [];
  const why = open({ reason: { type: 'string', examples: ['no_match'] }, hint: { type: 'string' } }, [
    'reason',
  ]);
  return [envelope('empty', { allOf: [result, why] })];
}

/**
 * Adds the marks of third-party fields, unless the result has them itself because it may lack such fields.
 */
function flagged({ name, shape }: ResultForm): JsonObject {
  const result = ref(name);
  const hasMarks = shape instanceof z.ZodObject && 'untrusted_fields' in shape.shape;
  const { all, wrapped } = thirdPartyFields(shape);
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

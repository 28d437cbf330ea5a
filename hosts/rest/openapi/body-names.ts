import { isRecord } from '../../../core/contract/result.ts';
import type { JsonObject } from '../json-body.ts';
import { ref, type Schemas, typeName } from './json-schema.ts';

/** Gives names to the bodies of operations. Without them, generated clients invent names, or have no types for them. */
export function bodyNames() {
  const schemas: Record<string, JsonObject> = {};
  return {
    /** The schemas of the bodies so far, by name: such as `SendEmailArguments` and `SendEmailAnswer`. */
    schemas: schemas as Schemas,
    /** @returns the operation, which refers to the schemas of its bodies */
    named(operation: JsonObject): JsonObject {
      const { operationId, requestBody, responses } = operation;
      const name = typeName(String(operationId));
      const answers = Object.entries(isRecord(responses) ? responses : {}).map(
        ([status, answer]) => [status, referring(answer, `${name}Answer`)] as const,
      );
      return {
        ...operation,
        ...(requestBody === undefined ? {} : { requestBody: referring(requestBody, `${name}Arguments`) }),
        responses: Object.fromEntries(answers),
      };
    },
  };

  /** @param message  a request body or an answer */
  function referring(message: unknown, name: string): unknown {
    if (!isRecord(message) || !isRecord(message.content)) return message;
    const json = message.content['application/json'];
    if (!isRecord(json) || !isRecord(json.schema) || '$ref' in json.schema) return message;
    schemas[name] = json.schema;
    return { ...message, content: { 'application/json': { ...json, schema: ref(name) } } };
  }
}

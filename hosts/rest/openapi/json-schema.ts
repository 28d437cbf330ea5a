import * as z from 'zod';
import { isRecord } from '../../../core/contract/result.ts';
import type { JsonObject } from '../json-body.ts';

/** A schema in the API description, with its named parts. */
export interface NamedSchemas {
  readonly schema: JsonObject;
  /** By name. The schema refers to them under `#/components/schemas/`. */
  readonly parts: Readonly<Record<string, JsonObject>>;
}

/** Schemas by name: the targets of `$ref`. */
export type Schemas = Readonly<Record<string, JsonObject>>;

export function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** `GetEmail` for `get_email`. */
export function typeName(name: string): string {
  return name.replace(/(?:^|[_.])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Objects are open: later versions add fields. Schemas with `.meta({ id })` become parts. */
export function jsonSchemaOf(shape: z.core.$ZodType): NamedSchemas {
  const {
    $schema: _dialect,
    $defs,
    ...schema
  } = z.toJSONSchema(shape, {
    // The schema of an output would forbid other fields.
    io: 'input',
    target: 'draft-2020-12',
  });
  const parts = Object.entries($defs ?? {}).map(([name, { id: _id, ...part }]) => [name, referring(part)]);
  return {
    schema: object(referring(schema)),
    parts: Object.fromEntries(parts) as Record<string, JsonObject>,
  };
}

function referring(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(referring);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace('#/$defs/', '#/components/schemas/')
        : referring(inner),
    ]),
  );
}

function object(value: unknown): JsonObject {
  if (!isRecord(value)) throw new Error('a schema is an object');
  return value;
}

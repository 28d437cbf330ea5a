import { STATUS_CODES } from 'node:http';
import * as z from 'zod';
import { ERRORS, type ErrorCode } from '../../../core/contract/errors.ts';
import type { JsonObject } from '../json-body.ts';
import type { Route } from '../routes.ts';
import { jsonContent } from './examples.ts';
import { COMMON_HEADERS, headerRefs } from './headers.ts';
import { jsonSchemaOf, ref, type Schemas, typeName } from './json-schema.ts';
import { errorsOfRoute } from './route-errors.ts';

/** A schema for each error code, and the responses that use them. */

const CODES = Object.keys(ERRORS) as ErrorCode[];

/** `InvalidArgumentsError` for `invalid_arguments`; `CodedInvalidArgumentsError` if it has the code as `error`, too. */
function schemaName(code: ErrorCode, coded = false): string {
  return `${coded ? 'Coded' : ''}${typeName(code)}Error`;
}

/** Creates one schema at a time. @returns the schemas of all failures on the wire, by name */
export function* failureSchemas(routes: readonly Route[]): Generator<undefined, Schemas> {
  const schemas: Record<string, JsonObject> = {};
  for (const code of CODES) {
    schemas[schemaName(code)] = jsonSchemaOf(failureOf(code)).schema;
    yield;
  }
  const coded = routes.flatMap(failuresOf).flatMap((failure) => (failure.coded ? failure.codes : []));
  for (const code of coded) schemas[schemaName(code, true)] ??= codedOf(code);
  return schemas;
}

function codedOf(code: ErrorCode): JsonObject {
  const withCode = {
    type: 'object',
    properties: { error: { type: 'string', const: code } },
    required: ['error'],
    additionalProperties: true,
  };
  return { allOf: [ref(schemaName(code)), withCode] };
}

function failureOf(code: ErrorCode): z.ZodType {
  const { message, details } = ERRORS[code];
  const envelope = z.looseObject({
    status: z.literal('error'),
    code: z.literal(code),
    message: z.string().meta({ examples: [message] }),
  });
  if (details === null) return envelope;
  const open = z.looseObject(details.shape);
  const canBeAbsent = open.safeParse({}).success;
  return envelope.extend({ details: canBeAbsent ? open.optional() : open });
}

/** The failures of a route, by status. */
export function failureRefs(route: Route): Record<string, JsonObject> {
  return Object.fromEntries(
    failuresOf(route).map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
  );
}

/** Creates one response at a time. @returns by name. Routes with the same codes share a response */
export function* failureResponses(
  routes: readonly Route[],
  schemas: Schemas,
): Generator<undefined, Record<string, JsonObject>> {
  const responses: Record<string, JsonObject> = {};
  for (const { status, codes, coded, name } of routes.flatMap(failuresOf)) {
    if (name in responses) continue;
    responses[name] = {
      description: `${STATUS_CODES[status]}: ${codes.join(', ')}.`,
      headers: headerRefs([...COMMON_HEADERS, ...headersOf(status)]),
      content: jsonContent(oneFailureOf(codes, coded), schemas),
    };
    yield;
  }
  return responses;
}

/** One status of a route, with the codes that it can have. */
interface RouteFailure {
  readonly status: number;
  readonly codes: readonly ErrorCode[];
  /** The response has the code in `error`, too. */
  readonly coded: boolean;
  /** Such as `CodedFailure429.busy.rate_limited`. */
  readonly name: string;
}

function failuresOf(route: Route): RouteFailure[] {
  const errors = errorsOfRoute(route);
  const coded = route.form !== 'envelope';
  const returned = CODES.filter((code) => errors.has(code));
  const statuses = new Set(returned.map((code) => ERRORS[code].status));
  return [...statuses].map((status) => {
    const codes = returned.filter((code) => ERRORS[code].status === status);
    const name = `${coded ? 'Coded' : ''}Failure${status}.${codes.join('.')}`;
    return { status, codes, coded, name };
  });
}

function headersOf(status: number): readonly string[] {
  if (status === 401) return ['WWW-Authenticate'];
  return status === 429 || status === 503 ? ['Retry-After'] : [];
}

/** The code tells programs in languages without literal types which of the schemas they have. */
function oneFailureOf(codes: readonly ErrorCode[], coded: boolean): JsonObject {
  const refs = codes.map((code) => [code, ref(schemaName(code, coded))] as const);
  const oneOf = refs.map(([, one]) => one);
  if (oneOf.length === 1) return oneOf[0] ?? {};
  const mapping = Object.fromEntries(refs.map(([code, { $ref }]) => [code, $ref]));
  return { oneOf, discriminator: { propertyName: 'code', mapping } };
}

import { type Failure, failure } from '../../core/call/outcome.ts';
import { isRecord, withoutNulls } from '../../core/contract/result.ts';
import { errorDetails } from '../../core/contract/schema.ts';
import type { Target } from '../http/request-head.ts';
import { type JsonObject, parseBody } from './json-body.ts';

/** The parameters of a request, by where they stand. */
export interface Given {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
}

/**
 * Returns the arguments for a route's tool. A parameter in the wrong place (a body on a read, a query on a write, a
 * body field with the name of a path parameter) gets a name that no tool knows, such as `body.id`. The tool's own
 * validation then rejects it by that name, after the checks that come first.
 * @param from  where the route takes parameters, besides its path
 */
export function routeArguments(
  given: Given,
  from: 'query' | 'body' | 'path',
  inputSchema: JsonObject,
): JsonObject {
  const typed = (name: string, value: unknown) => coerced(value, typeOf(inputSchema, name));
  const named = (source: 'query' | 'body', name: string) =>
    source === from && !Object.hasOwn(given.path, name) ? name : `${source}.${name}`;
  const args = new Map<string, unknown>();
  for (const [name, value] of Object.entries(given.path)) args.set(name, typed(name, value));
  for (const [name, value] of queryParameters(given.query))
    args.set(named('query', name), typed(name, value));
  for (const [name, value] of Object.entries(given.body)) args.set(named('body', name), value);
  return Object.fromEntries(args);
}

/**
 * Returns the arguments of `POST /v1/tools/{name}`. Its body is `{arguments: object}`. `routeArguments` says what
 * happens to anything else.
 */
export function namedToolArguments({ query, body }: Given): unknown {
  const { arguments: args, ...others } = body;
  const strange = new Map<string, unknown>();
  for (const [name, value] of queryParameters(query)) strange.set(`query.${name}`, value);
  for (const [name, value] of Object.entries(others)) strange.set(`body.${name}`, value);
  return strange.size === 0 ? args : { ...(isRecord(args) ? args : {}), ...Object.fromEntries(strange) };
}

/** For a route that takes no parameters: the failure if the request has some. */
export function undeclaredParameters(given: Given): Failure | undefined {
  const names = Object.keys(routeArguments(given, 'path', {}));
  if (names.length === 0) return undefined;
  const errors = names.map((field) => ({
    field,
    rule: 'additionalProperties',
    message: 'is not a parameter here',
  }));
  return failure('invalid_arguments', errorDetails(errors));
}

export type GivenOrRefused =
  | ({ readonly kind: 'given' } & Given)
  | { readonly kind: 'refused'; readonly failure: Failure };

/** Reads the parameters of a request. The body must be JSON, and the query UTF-8. */
export function givenBy(
  body: Uint8Array,
  { path, target }: { readonly path: Given['path']; readonly target: Target },
): GivenOrRefused {
  const parsed = parseBody(body);
  if (parsed.kind === 'failure') return { kind: 'refused', failure: parsed.failure };
  if (target.notUtf8.length > 0) return { kind: 'refused', failure: notUtf8(target.notUtf8) };
  // Null stands for a field that is not set.
  return { kind: 'given', path, query: target.query, body: withoutNulls(parsed.object) };
}

/** `URLSearchParams` replaces bytes that are not UTF-8, so the tool would get a different text. */
function notUtf8(names: readonly string[]): Failure {
  const errors = names.map((field) => ({ field, rule: 'utf8', message: 'must be UTF-8, percent-encoded' }));
  return failure('invalid_arguments', errorDetails(errors));
}

/** A repeated parameter becomes a list. Validation rejects it, because no query parameter is a list. */
function queryParameters(query: URLSearchParams): [string, string | string[]][] {
  const values = new Map<string, string[]>();
  for (const [name, value] of query) {
    const before = values.get(name);
    if (before === undefined) values.set(name, [value]);
    else before.push(value);
  }
  return [...values].map(([name, [value = '', ...more]]) => [
    name,
    more.length === 0 ? value : [value, ...more],
  ]);
}

/** Text that does not fit the type stays as it is, for validation to reject. */
function coerced(value: unknown, type: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function typeOf(inputSchema: JsonObject, name: string): unknown {
  const properties = inputSchema.properties;
  const property = isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isRecord(property) ? property.type : undefined;
}

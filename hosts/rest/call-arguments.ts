import { type Failure, failure } from '../../core/call/outcome.ts';
import { isRecord } from '../../core/contract/result.ts';
import { errorDetails } from '../../core/contract/schema.ts';
import type { Target } from '../http/request-head.ts';
import { type JsonObject, parseBody } from './json-body.ts';

/** What a request gives a tool, by where it stands. */
export interface Given {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
}

/**
 * The arguments of a route's tool. What stands where the route has no parameters (a body on a read, a query on a
 * write, a body field with the name of a path parameter) is passed under a name that no tool knows, such as
 * `body.id`: so the tool's own validation refuses it, when its turn comes, and names it.
 * @param from where the route has parameters besides its path
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

/** The arguments of `POST /v1/tools/{name}`: `{arguments: object}` and nothing else; see `routeArguments`. */
export function namedToolArguments({ query, body }: Given): unknown {
  const { arguments: args, ...others } = body;
  const strange = new Map<string, unknown>();
  for (const [name, value] of queryParameters(query)) strange.set(`query.${name}`, value);
  for (const [name, value] of Object.entries(others)) strange.set(`body.${name}`, value);
  return strange.size === 0 ? args : { ...(isRecord(args) ? args : {}), ...Object.fromEntries(strange) };
}

/** For a route that is no tool and has no parameters at all: what to say when some were given. */
export function strangeParameters(given: Given): Failure | undefined {
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

/** What a request gives: its body is JSON, its query UTF-8. */
export function givenBy(
  body: Uint8Array,
  { path, target }: { readonly path: Given['path']; readonly target: Target },
): GivenOrRefused {
  const parsed = parseBody(body);
  if (parsed.kind === 'failure') return { kind: 'refused', failure: parsed.failure };
  if (target.notUtf8.length > 0) return { kind: 'refused', failure: notUtf8(target.notUtf8) };
  return { kind: 'given', path, query: target.query, body: parsed.object };
}

/** Like a body that is no UTF-8, parameters of a query that are none would be read as something else. */
function notUtf8(names: readonly string[]): Failure {
  const errors = names.map((field) => ({ field, rule: 'utf8', message: 'must be UTF-8, percent-encoded' }));
  return failure('invalid_arguments', errorDetails(errors));
}

/** A parameter that is repeated comes as a list, which no parameter of a query may be. */
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

/** Text that is not of the wanted type stays as it is: validation says so. */
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

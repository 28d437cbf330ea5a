import { expect } from 'vitest';
import * as z from 'zod';
import { failure, type Outcome } from '../../core/call/outcome.ts';
import type { ErrorCode } from '../../core/contract/errors.ts';
import { CATALOGUE } from '../../core/tools/catalogue.ts';
import { leakedKeys } from '../../hosts/http/leaked-keys.ts';
import { publicBase } from '../../hosts/http/public-base.ts';
import { bodyOf, statusOf } from '../../hosts/rest/answer.ts';
import { findRoute, type Route } from '../../hosts/rest/routes.ts';
import { expectDescribed } from '../described-outcome.ts';

/**
 * Makes a call of a REST route through the tool protocol, and returns the answer that the route would have
 * written.
 */

const MAX_BYTES = 65_536;

const OVER: ReadonlySet<ErrorCode> = new Set(['busy', 'rate_limited']);

interface Wanted {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: unknown;
  readonly key: string;
  readonly idempotencyKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

const object = z.record(z.string(), z.unknown());
const called = z.looseObject({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  structuredContent: z.custom<Outcome>((value) => object.safeParse(value).success),
  isError: z.boolean(),
  _meta: object.optional(),
});
const message = z.union([
  z.looseObject({ result: called }),
  z.looseObject({ error: z.looseObject({ code: z.number() }) }),
]);

/** A body of this length, nested in another one, is too long. */
const NESTED_MAX_BYTES = 250_000;

/**
 * @returns undefined if the route is not a tool, or the request is wrong in a way that only REST can express
 */
export async function callTool(
  port: number,
  { method, path, body, key, idempotencyKey, headers }: Wanted,
): Promise<{ status: number; headers: Headers; text: string } | undefined> {
  const [pathname = '', query = ''] = path.split('?');
  const found = findRoute(method, pathname);
  if (found.kind !== 'route' || typeof found.route.call === 'string') return undefined;
  const fields = object.safeParse(body ?? {});
  if (!fields.success || leakedKeys(path).length > 0) return undefined;
  if (JSON.stringify(fields.data).length > NESTED_MAX_BYTES) return undefined;
  const given = { path: found.parameters, query: new URLSearchParams(query), body: fields.data };
  const { tool, args } = found.route.call.call(given, inputSchemaOf);
  if (!object.safeParse(args).success) return undefined;
  const meta = idempotencyKey === undefined ? {} : { 'countersign/idempotency-key': idempotencyKey };
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: args, _meta: meta },
    }),
  });
  const text = await response.text();
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_BYTES);
  if (response.status !== 200) return { status: response.status, headers: response.headers, text };
  return asRoute(text, new Headers(response.headers), found.route, tool);
}

function asRoute(text: string, headers: Headers, route: Route, tool: string) {
  const answered = message.parse(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text));
  const { result } = z.object({ result: called.optional() }).parse(answered);
  if (result === undefined) {
    // The protocol's answer to an unknown tool name.
    expect(answered).toMatchObject({ error: { code: -32602 } });
    return written(failure('not_found', { reason: 'tool' }), headers, route);
  }
  const { content, structuredContent: outcome, isError, _meta } = result;
  expect(JSON.parse(content[0].text)).toEqual(outcome);
  expect(isError).toBe(outcome.status === 'error');
  // Over a limit, the tool was not called.
  const isOver = outcome.status === 'error' && OVER.has(outcome.code);
  if (!isOver) expectDescribed(tool, outcome);
  if (_meta?.['countersign/idempotent-replayed'] === true) headers.set('Idempotent-Replayed', 'true');
  return written(outcome, headers, route);
}

function written(outcome: Outcome, headers: Headers, route: Route) {
  const { status, headers: own } = statusOf(outcome, route, publicBase('http://localhost'));
  for (const [name, value] of Object.entries(own)) headers.set(name, String(value));
  return { status, headers, text: bodyOf(outcome, route) };
}

function inputSchemaOf(name: string) {
  return CATALOGUE.find((tool) => tool.name === name)?.inputSchema ?? {};
}

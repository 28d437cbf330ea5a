import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { isRecord } from '../../../core/contract/result.ts';
import type { JsonObject } from '../../../hosts/rest/json-body.ts';
import { openApiDocument } from '../../../hosts/rest/openapi/document.ts';

/** What generators of clients need of the description: test/package/generated-clients.test.ts has the generators. */

const document = openApiDocument('https://api.example.org');

const schema = z.looseObject({});
const message = z.looseObject({
  content: z.strictObject({ 'application/json': z.looseObject({ schema }) }).optional(),
});
const operation = z.looseObject({
  operationId: z.string(),
  requestBody: message.optional(),
  responses: z.record(z.string(), message),
});
const operations = z.record(z.string(), z.record(z.string(), operation));
const { paths, webhooks, components } = z
  .looseObject({
    paths: operations,
    webhooks: operations,
    components: z.looseObject({
      schemas: z.record(z.string(), schema),
      responses: z.record(z.string(), message),
    }),
  })
  .parse(document);
const all = [...Object.values(paths), ...Object.values(webhooks)].flatMap((path) => Object.values(path));

/** Every object within a value, itself included, with the path to it. */
function objectsIn(value: unknown, at = ''): [string, JsonObject][] {
  if (Array.isArray(value)) return value.flatMap((inner, index) => objectsIn(inner, `${at}/${index}`));
  if (!isRecord(value)) return [];
  const inner = Object.entries(value).flatMap(([key, one]) => objectsIn(one, `${at}/${key}`));
  return [[at, value], ...inner];
}

/** The name that a `$ref` refers to. */
function nameOf(value: unknown): string {
  return isRecord(value) ? String(value.$ref).replace('#/components/schemas/', '') : '';
}

/** The code of an error, by the name of its schema. */
function codeOf(name: string): unknown {
  const { properties, allOf } = components.schemas[name] ?? {};
  if (Array.isArray(allOf)) return codeOf(nameOf(allOf[0]));
  return isRecord(properties) && isRecord(properties.code) ? properties.code.const : undefined;
}

describe('the description, for generators of clients', () => {
  it('has a named schema for every body of a request, an answer and an event', () => {
    const unnamed = all.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((one) => {
        const body = one?.content?.['application/json'].schema;
        return body === undefined || nameOf(body) in components.schemas ? [] : [operationId];
      }),
    );
    expect(unnamed).toEqual([]);
    expect(Object.keys(components.schemas)).toEqual(
      expect.arrayContaining(['SendEmailArguments', 'SendEmailAnswer', 'MessageReceivedEvent']),
    );
  });

  it('says by which code the errors of one status differ', () => {
    const unions = objectsIn(components.responses).filter(
      ([, { oneOf }]) => Array.isArray(oneOf) && oneOf.length > 0,
    );
    expect(unions.length).toBeGreaterThan(5);
    for (const [at, { oneOf, discriminator }] of unions) {
      const codes = z
        .array(z.unknown())
        .parse(oneOf)
        .map((one) => [codeOf(nameOf(one)), isRecord(one) ? one.$ref : undefined]);
      expect(discriminator, at).toEqual({ propertyName: 'code', mapping: Object.fromEntries(codes) });
    }
  });

  it('has a type for every list of values and every constant', () => {
    const untyped = objectsIn({ paths, webhooks, components }).filter(
      ([at, one]) =>
        !at.includes('/example') &&
        (Array.isArray(one.enum) || 'const' in one) &&
        typeof one.type !== 'string',
    );
    expect(untyped.map(([at]) => at)).toEqual([]);
  });

  it('has names that stay apart in any case and without signs', () => {
    const apart = (names: readonly string[]) =>
      new Set(names.map((name) => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase())).size;
    for (const names of [Object.keys(components.schemas), Object.keys(components.responses)])
      expect(apart(names)).toBe(names.length);
    const ids = all.map(({ operationId }) => operationId);
    expect(apart(ids)).toBe(ids.length);
  });
});

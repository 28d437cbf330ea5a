import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../../core/contract/errors.ts';
import { isRecord } from '../../../core/contract/result.ts';
import type { JsonObject } from '../../../hosts/rest/json-body.ts';
import { openApiDocument } from '../../../hosts/rest/openapi/document.ts';
import { ROUTES } from '../../../hosts/rest/routes.ts';
import { type Answer, sendRaw } from './raw-http.ts';
import { type RestServer, restServer } from './rest-server.ts';

let server: RestServer;
beforeAll(async () => {
  server = await restServer();
});
afterAll(() => server.stop());

const document = openApiDocument('https://api.example.org');

function ask(headers: [string, string][] = [], { method = 'GET', query = '' } = {}): Promise<Answer> {
  const own: [string, string][] = [['Host', `127.0.0.1:${server.port}`]];
  return sendRaw(server.port, {
    method,
    target: `/v1/openapi.json${query}`,
    headers: [...own, ...headers],
    body: '',
  });
}

/** Every object within a value that has the field. */
function withField(value: unknown, field: string): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((inner) => withField(inner, field));
  if (!isRecord(value)) return [];
  const inner = Object.values(value).flatMap((one) => withField(one, field));
  return field in value ? [value, ...inner] : inner;
}

describe('GET /v1/openapi.json', () => {
  it('needs no key, and is told with the budget of the address', async () => {
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'ratelimit-limit': '60', 'content-type': 'application/json' });
    expect(answer.json).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
    expect(answer.json).toEqual({
      ...openApiDocument(`http://127.0.0.1:${server.port}`),
    });
  });

  it('is refused to browsers, on other hosts, with parameters, and to who asks too often', async () => {
    expect((await ask([['Origin', 'https://page.example']])).json.code).toBe('origin_not_allowed');
    expect(await ask([], { method: 'HEAD' })).toMatchObject({ status: 405, headers: { allow: 'GET' } });
    expect(await ask([], { query: '?format=yaml' })).toMatchObject({
      status: 400,
      json: { error: 'invalid_arguments', details: { errors: [{ field: 'query.format' }] } },
    });
    const from: [string, string][] = [['X-Forwarded-For', '198.51.100.7']];
    for (let call = 1; call <= 60; call++) await ask(from);
    const over = await ask(from);
    expect(over).toMatchObject({ status: 429, json: { error: 'rate_limited', code: 'rate_limited' } });
    expect(over.headers['retry-after']).toBe(over.headers['ratelimit-reset']);
  });
});

describe('the description', () => {
  it('has every route', () => {
    const paths = isRecord(document.paths) ? document.paths : {};
    for (const { method, path } of ROUTES) {
      expect(paths[path], path).toHaveProperty(method.toLowerCase());
    }
  });

  it('has every code, each with an example', () => {
    const text = JSON.stringify(document);
    for (const code of Object.keys(ERRORS)) expect(text).toContain(`"const":"${code}"`);
  });

  it('lists the events in its webhooks section', () => {
    expect(Object.keys(isRecord(document.webhooks) ? document.webhooks : {})).toEqual([
      'message.received',
      'approval.decided',
      'webhook.test',
    ]);
  });

  it('marks nothing as deprecated', () => {
    expect(withField(document, 'deprecated')).toEqual([]);
  });

  it('has examples that are as their schemas say', () => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
    ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
    ajv.addFormat('uuid', true);
    ajv.addSchema(document, 'api');
    const examples = withField(document, 'example');
    expect(examples.length).toBeGreaterThan(50);
    for (const { schema, example } of examples) {
      const pointed = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as JsonObject;
      expect({ example, errors: ajv.validate(pointed, example) ? [] : ajv.errors }).toMatchObject({
        errors: [],
      });
    }
  });
});

import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { failure } from '../../../core/call/outcome.ts';
import { ERRORS } from '../../../core/contract/errors.ts';
import { isRecord } from '../../../core/contract/result.ts';
import type { JsonObject } from '../../../hosts/rest/json-body.ts';
import { describeApi } from '../../../hosts/rest/openapi/description.ts';
import { openApiDocument } from '../../../hosts/rest/openapi/document.ts';
import { ROUTES } from '../../../hosts/rest/routes.ts';
import { undescribed } from './described-answer.ts';
import { type Answer, everythingFrom, sendRaw } from './raw-http.ts';
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
  it('needs no key, and has the rate headers of the address', async () => {
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'ratelimit-limit': '60', 'content-type': 'application/json' });
    expect(answer.json).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
    expect(answer.json).toEqual({
      ...openApiDocument(`http://127.0.0.1:${server.port}`),
    });
  });

  it('is not sent again to a client that has it', async () => {
    const { etag = '' } = (await ask()).headers;
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    expect((await ask()).headers).toMatchObject({ etag, 'cache-control': 'no-cache' });
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await ask([['If-None-Match', known]]);
      expect(answer).toMatchObject({ status: 304, text: '', headers: { etag, 'ratelimit-limit': '60' } });
      expect(answer.headers).not.toHaveProperty('content-length');
      expect(answer.headers).not.toHaveProperty('content-type');
    }
    for (const other of ['"other"', 'W/"other"', '""', etag.slice(1, -1)]) {
      expect(await ask([['If-None-Match', other]])).toMatchObject({ status: 200, headers: { etag } });
    }
  });

  it('leaves the connection open after a 304', async () => {
    const { etag = '' } = (await ask()).headers;
    const request = (more: string) =>
      `GET /v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nIf-None-Match: ${etag}\r\n${more}\r\n`;
    const both = await everythingFrom(server.port, [request(''), request('Connection: close\r\n')]);
    expect(both.match(/HTTP\/1\.1 304 /g)).toHaveLength(2);
  });

  it('is built between other work, and is the same each time for one address', async () => {
    let turns = 0;
    let isMade = false;
    const others = (async () => {
      for (; !isMade; turns++) await new Promise((next) => setImmediate(next));
    })();
    const { body, etag } = await describeApi('https://api.example.org');
    isMade = true;
    await others;
    expect(turns).toBeGreaterThan(ROUTES.length);
    expect(JSON.parse(Buffer.from(body).toString())).toEqual(document);
    expect((await describeApi('https://api.example.org')).etag).toBe(etag);
    expect((await describeApi('https://other.example.org')).etag).not.toBe(etag);
  });

  it('is refused to browsers, on other hosts, with parameters, and to callers who ask too often', async () => {
    expect((await ask([['Origin', 'https://page.example']])).json.code).toBe('origin_not_allowed');
    expect(await ask([], { method: 'PUT' })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
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

/** The error codes that an operation lists. */
function codesOf(method: string, path: string): string[] {
  const { paths, components } = described.parse(document);
  const responses = paths[path]?.[method.toLowerCase()]?.responses ?? {};
  const names = Object.values(responses).flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? []);
  const text = JSON.stringify(names.map((name) => components.responses[name]));
  return Object.keys(ERRORS).filter((code) => new RegExp(`/(Coded)?${schemaName(code)}"`).test(text));
}

function schemaName(code: string): string {
  return `${code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Error`;
}

const described = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({ responses: z.record(z.string(), z.looseObject({ $ref: z.string().optional() })) }),
    ),
  ),
  components: z.looseObject({ responses: z.record(z.string(), z.unknown()) }),
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

  it.each([
    {
      method: 'GET',
      path: '/v1/openapi.json',
      lists: ['rate_limited'],
      lacks: ['invalid_token', 'not_found'],
    },
    {
      method: 'GET',
      path: '/v1/tools',
      lists: ['busy'],
      lacks: ['not_permitted', 'invalid_idempotency_key'],
    },
    {
      method: 'GET',
      path: '/v1/me',
      lists: ['invalid_idempotency_key'],
      lacks: ['not_permitted', 'not_found'],
    },
    {
      method: 'GET',
      path: '/v1/trackers',
      lists: ['not_permitted'],
      lacks: ['upstream_mail_error', 'not_found'],
    },
    { method: 'POST', path: '/v1/trackers', lists: ['previously_rejected'], lacks: ['not_found'] },
    { method: 'POST', path: '/v1/trackers/{tracker_id}/links', lists: ['invalid_message_id'], lacks: [] },
    {
      method: 'POST',
      path: '/v1/messages',
      lists: ['no_mail_account_connected'],
      lacks: ['invalid_message_id'],
    },
    { method: 'POST', path: '/v1/tools/{name}', lists: ['not_found', 'too_many_targets'], lacks: [] },
    {
      method: 'POST',
      path: '/v1/messages/{id}/archive',
      lists: ['pending_exists_for_target'],
      lacks: ['too_many_targets'],
    },
  ])('lists the errors of $method $path, and no others', ({ method, path, lists, lacks }) => {
    const codes = new Set(codesOf(method, path));
    expect(lists.filter((code) => !codes.has(code))).toEqual([]);
    expect(lacks.filter((code) => codes.has(code))).toEqual([]);
  });

  it('does not allow an error that the operation does not list', () => {
    const { status, ...why } = failure('not_found', { reason: 'tracker' });
    const answer = {
      status: 404,
      headers: {
        'x-request-id': '00000000-0000-0000-0000-000000000000',
        'ratelimit-limit': '60',
        'ratelimit-remaining': '59',
        'ratelimit-reset': '60',
        'ratelimit-policy': '60;w=60',
      },
      text: JSON.stringify({ status, ...why }),
    };
    const trackers = { ...answer, method: 'GET', target: '/v1/trackers' };
    expect(undescribed(trackers)).toEqual(['GET /v1/trackers 404: the operation has no such status']);
    expect(undescribed({ ...trackers, target: '/v1/trackers/1' })).toEqual([]);
    const strange = JSON.stringify({ status, ...why, details: { reason: 'tracker', id: 7 } });
    expect(undescribed({ ...trackers, target: '/v1/trackers/1', text: strange })).toHaveLength(1);
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

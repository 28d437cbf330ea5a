import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import * as z from 'zod';
import { openApiDocument } from '../../../hosts/rest/openapi/document.ts';

/**
 * Holds answers of the API to its own description: status, headers, body, and the bound of 64 KB. The servers and
 * clients of the tests pass every answer through here.
 */

export interface SeenAnswer {
  readonly method: string;
  /** With or without a query. */
  readonly target: string;
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

const responseOf = z.looseObject({
  headers: z.record(z.string(), z.looseObject({ $ref: z.string() })),
  content: z.looseObject({ 'application/json': z.looseObject({ schema: z.looseObject({}) }) }),
});
const operation = z.looseObject({
  operationId: z.string(),
  responses: z.record(z.string(), z.union([z.strictObject({ $ref: z.string() }), responseOf])),
});
const description = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({
    headers: z.record(
      z.string(),
      z.looseObject({ required: z.boolean().optional(), schema: z.looseObject({}) }),
    ),
    responses: z.record(z.string(), responseOf),
  }),
});

const described = openApiDocument('http://localhost');
const { paths, components } = description.parse(described);

const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
ajv.addSchema(described, 'api');

const compiled = new Map<string, ValidateFunction>();
function validatorAt(...pointer: readonly string[]): ValidateFunction {
  const steps = pointer.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
  const $ref = `api#/${steps.join('/')}`;
  const known = compiled.get($ref) ?? ajv.compile({ $ref });
  compiled.set($ref, known);
  return known;
}

const BODY = ['content', 'application/json', 'schema'];
const MAX_BYTES = 65_536;

/** @returns what the description does not allow; nothing for an answer that is as described */
export function undescribed(answer: SeenAnswer): string[] {
  const path = new URL(answer.target, 'http://localhost').pathname;
  if (path === '/healthz') return [];
  const found = Object.keys(paths).find((one) => matches(one, path));
  const bytes = Buffer.byteLength(answer.text);
  const wrong: string[] = [];
  if (bytes > MAX_BYTES && path !== '/v1/openapi.json') wrong.push(`${bytes} bytes`);
  const method = answer.method.toLowerCase();
  // An answer to HEAD has no body to look at.
  if (method !== 'head')
    wrong.push(...(found === undefined ? ofNoRoute(answer) : ofRoute(found, method, answer)));
  return wrong.map((what) => `${answer.method} ${path} ${answer.status}: ${what}`);
}

function ofNoRoute(answer: SeenAnswer): string[] {
  return against(answer, ['components', 'responses', `Failure${answer.status}`]);
}

function ofRoute(path: string, method: string, answer: SeenAnswer): string[] {
  const operations = paths[path] ?? {};
  const mine = operations[method];
  const status = String(answer.status);
  if (mine === undefined) {
    const coded = JSON.stringify(operations).includes('/CodedFailure400"');
    return against(answer, ['components', 'responses', `${coded ? 'Coded' : ''}Failure${status}`]);
  }
  const response = mine.responses[status];
  if (response === undefined) return ['the operation has no such status'];
  if ('$ref' in response && typeof response.$ref === 'string') {
    return against(answer, response.$ref.slice(2).split('/'));
  }
  const wrong = against(answer, ['paths', path, method, 'responses', status]);
  return mine.operationId === 'call_tool' && status === '200' ? [...wrong, ...ofTool(answer)] : wrong;
}

/** A tool that is called by its name answers what its own route does, where that is enveloped as well. */
function ofTool(answer: SeenAnswer): string[] {
  const name = answer.target.split('/').at(-1) ?? '';
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { operationId }] of Object.entries(operations)) {
      if (operationId !== name || path === '/v1/me' || path === '/v1/approvals') continue;
      return bodyAgainst(answer, ['paths', path, method, 'responses', '200']);
    }
  }
  return [];
}

function against(answer: SeenAnswer, pointer: readonly string[]): string[] {
  const response = pointer.reduce<unknown>((at, step) => z.looseObject({}).parse(at)[step], described);
  if (response === undefined) return ['there is no such answer'];
  const { headers } = responseOf.parse(response);
  return [...headersAgainst(answer, new Set(Object.keys(headers))), ...bodyAgainst(answer, pointer)];
}

function headersAgainst({ headers }: SeenAnswer, expected: ReadonlySet<string>): string[] {
  return Object.entries(components.headers).flatMap(([name, { required, schema }]) => {
    const value = headers[name.toLowerCase()];
    if (value === undefined) return expected.has(name) && required === true ? [`lacks ${name}`] : [];
    if (!expected.has(name)) return [`has ${name}`];
    const read = schema.type === 'integer' ? Number(value) : value;
    return validatorAt('components', 'headers', name, 'schema')(read) ? [] : [`${name}: ${value}`];
  });
}

function bodyAgainst({ text }: SeenAnswer, pointer: readonly string[]): string[] {
  const validate = validatorAt(...pointer, ...BODY);
  const body: unknown = JSON.parse(text);
  return validate(body) ? [] : (validate.errors ?? []).map(inWords);
}

function inWords({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath || '/'} ${message} ${JSON.stringify(params)}`;
}

function matches(pattern: string, path: string): boolean {
  const [steps, segments] = [pattern.split('/'), path.split('/')];
  return (
    steps.length === segments.length &&
    steps.every((step, at) => step === segments[at] || (step.startsWith('{') && segments[at] !== ''))
  );
}

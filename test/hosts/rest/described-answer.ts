import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import * as z from 'zod';
import { ERRORS, type ErrorCode } from '../../../core/contract/errors.ts';
import { ENTRY_ERRORS } from '../../../hosts/http/entry-rules.ts';
import { UNEXPECTED_ERRORS } from '../../../hosts/http/request.ts';
import { openApiDocument } from '../../../hosts/rest/openapi/document.ts';
import { COMMON_HEADERS } from '../../../hosts/rest/openapi/headers.ts';
import { typeName } from '../../../hosts/rest/openapi/json-schema.ts';
import { wrongDetails } from '../../described-outcome.ts';

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
  content: z.looseObject({ 'application/json': z.looseObject({ schema: z.looseObject({}) }) }).optional(),
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
    schemas: z.record(z.string(), z.unknown()),
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
    wrong.push(
      ...(found === undefined ? ofNoOperation(answer, path === '/mcp') : ofRoute(found, method, answer)),
      ...ofDetails(answer),
    );
  return wrong.map((what) => `${answer.method} ${path} ${answer.status}: ${what}`);
}

/** What a request can be refused with if it is addressed to no operation. */
const OF_NO_OPERATION: ReadonlySet<string> = new Set([
  ...ENTRY_ERRORS,
  ...UNEXPECTED_ERRORS,
  'not_found',
  'method_not_allowed',
]);

function ofNoOperation(answer: SeenAnswer, coded: boolean): string[] {
  const { code, error } = failed.parse(JSON.parse(answer.text));
  if (!OF_NO_OPERATION.has(code)) return [`no operation returns ${code}`];
  const { status } = ERRORS[code];
  const more = status === 405 ? ['Allow'] : status === 503 ? ['Retry-After'] : [];
  const name = code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [
    ...(answer.status === status ? [] : [`the status of ${code} is ${status}`]),
    ...(error === (coded ? code : undefined) ? [] : [`error is ${JSON.stringify(error)}`]),
    ...headersAgainst(answer, new Set([...COMMON_HEADERS, ...more])),
    ...schemaErrors(answer, ['components', 'schemas', `${name}Error`]),
  ];
}

const failed = z.looseObject({
  code: z.custom<ErrorCode>((code) => typeof code === 'string' && Object.hasOwn(ERRORS, code)),
  error: z.unknown().optional(),
  details: z.unknown().optional(),
});

/** OpenAPI allows details that `ERRORS` does not know; the service has none. */
function ofDetails({ status, text }: SeenAnswer): string[] {
  if (status < 400) return [];
  const { code, details } = failed.parse(JSON.parse(text));
  return [wrongDetails(code, details) ?? []].flat();
}

function ofRoute(path: string, method: string, answer: SeenAnswer): string[] {
  const operations = paths[path] ?? {};
  const mine = operations[method];
  const status = String(answer.status);
  if (mine === undefined) return ofNoOperation(answer, JSON.stringify(operations).includes('/CodedFailure'));
  const response = mine.responses[status];
  if (response === undefined) return ['the operation has no such status'];
  if ('$ref' in response && typeof response.$ref === 'string') {
    return against(answer, response.$ref.slice(2).split('/'));
  }
  const wrong = against(answer, ['paths', path, method, 'responses', status]);
  return mine.operationId === 'call_tool' && status === '200' ? [...wrong, ...ofTool(answer)] : wrong;
}

/**
 * A tool that is called by its name answers what its own route does, where that is enveloped as well. For several
 * messages, which a path cannot name, it has a result of its own.
 */
function ofTool(answer: SeenAnswer): string[] {
  const name = answer.target.split('/').at(-1) ?? '';
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { operationId }] of Object.entries(operations)) {
      if (operationId !== name || path === '/v1/me' || path === '/v1/approvals') continue;
      const several = `${typeName(name)}SeveralResult`;
      const wrong = bodyAgainst(answer, ['paths', path, method, 'responses', '200']);
      if (wrong.length === 0 || !Object.hasOwn(components.schemas, several)) return wrong;
      return resultAgainst(answer, ['components', 'schemas', several]);
    }
  }
  return [];
}

function against(answer: SeenAnswer, pointer: readonly string[]): string[] {
  const response = pointer.reduce<unknown>((at, step) => z.looseObject({}).parse(at)[step], described);
  if (response === undefined) return ['there is no such answer'];
  const { headers, content } = responseOf.parse(response);
  const wrong = headersAgainst(answer, new Set(Object.keys(headers)));
  if (content === undefined) return answer.text === '' ? wrong : [...wrong, 'has a body'];
  return [...wrong, ...bodyAgainst(answer, pointer)];
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

function bodyAgainst(answer: SeenAnswer, pointer: readonly string[]): string[] {
  return schemaErrors(answer, [...pointer, ...BODY]);
}

function resultAgainst({ text }: SeenAnswer, pointer: readonly string[]): string[] {
  return errorsOf(z.looseObject({ result: z.unknown() }).parse(JSON.parse(text)).result, pointer);
}

function schemaErrors({ text }: SeenAnswer, pointer: readonly string[]): string[] {
  return errorsOf(JSON.parse(text), pointer);
}

function errorsOf(value: unknown, pointer: readonly string[]): string[] {
  const validate = validatorAt(...pointer);
  return validate(value) ? [] : (validate.errors ?? []).map(inWords);
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

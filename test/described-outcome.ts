import * as z from 'zod';
import { approval, endedApproval } from '../core/call/approval-shape.ts';
import type { Failure, Outcome } from '../core/call/outcome.ts';
import { ERRORS, type ErrorCode } from '../core/contract/errors.ts';
import { isRecord } from '../core/contract/result.ts';
import { untrustedMarks, untrustedNonce } from '../core/safety/untrusted.ts';
import { errorsOf } from '../core/tools/call-errors.ts';
import { findTool } from '../core/tools/catalogue.ts';
import { isWrite } from '../core/tools/define-tool.ts';

/**
 * Checks an outcome against its tool: a result against `output`, every approval in it against the `output` of
 * the approval's tool, an error against the codes that a call of the tool declares and the details of its
 * code. The doors of the tests check every outcome with it.
 * @throws Error if the outcome does not match
 */
export function expectDescribed(name: string, outcome: Outcome): void {
  const tool = findTool(name);
  if (outcome.status === 'error') {
    expectDeclared(`a call of ${name}`, tool === undefined ? UNKNOWN_TOOL_ERRORS : errorsOf(tool), outcome);
    return;
  }
  if (tool === undefined || outcome.status === 'pending_approval') return;
  const { result } = outcome;
  const isLight = isWrite(tool) && !('approval' in result);
  const shape = !isWrite(tool) ? tool.output : isLight ? directOutput(name) : endedApproval;
  hold(`the result of ${name}`, shape, result);
  const { approval: one, approvals: several = [] } = approvalsIn.parse(result);
  for (const shown of one === undefined ? several : [one]) {
    const of = findTool(shown.tool);
    if (shown.result !== undefined && of !== undefined)
      hold(`an approval of ${of.name}`, of.output, shown.result);
  }
}

/** The form of the Idempotency-Key is checked before the name of the tool. */
const UNKNOWN_TOOL_ERRORS: ReadonlySet<ErrorCode> = new Set(['not_found', 'invalid_idempotency_key']);

/** @throws Error if the code is not one of these, or its details are not those of the code */
export function expectDeclared(
  what: string,
  codes: ReadonlySet<ErrorCode>,
  { code, details }: Failure,
): void {
  if (!codes.has(code)) throw new Error(`${what} does not declare the error ${code}`);
  const wrong = wrongDetails(code, details);
  if (wrong !== undefined) throw new Error(wrong);
}

/** @returns what is wrong with the details of an error; undefined if they match `ERRORS` */
export function wrongDetails(code: ErrorCode, details: unknown): string | undefined {
  const schema = ERRORS[code].details;
  if (schema === null) return details === undefined ? undefined : `${code} has no details`;
  const { error } = z.strictObject(schema.shape).safeParse(details ?? {});
  return error && `the details of ${code}: ${z.prettifyError(error)}`;
}

const approvalsIn = z.looseObject({ approval: approval.optional(), approvals: z.array(approval).optional() });

function directOutput(name: string): z.ZodType {
  const tool = findTool(name);
  if (tool?.kind !== 'light') throw new Error(`${name} ran without an approval`);
  return tool.directOutput;
}

/** What marks third-party text, and why a result is empty. */
const BESIDES = [
  ...Object.keys(untrustedMarks.shape),
  ...Object.keys(untrustedNonce.shape),
  'reason',
  'hint',
];

/** The paths of all fields in a value, such as `messages[].from`. */
function fieldsOf(value: unknown): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap(fieldsOf).map((field) => joined('[]', field)))];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    name,
    ...fieldsOf(inner).map((field) => joined(name, field)),
  ]);
}

function joined(path: string, field: string): string {
  return field.startsWith('[]') ? `${path}${field}` : `${path}.${field}`;
}

function hold(what: string, shape: z.ZodType, value: unknown): void {
  const { error, data } = shape.safeParse(value);
  if (error !== undefined)
    throw new Error(`${what} does not match the output of its tool: ${z.prettifyError(error)}`);
  const known = new Set([...fieldsOf(data), ...BESIDES]);
  const others = fieldsOf(value).filter((field) => !known.has(field));
  if (others.length > 0)
    throw new Error(`${what} has fields that its tool does not describe: ${others.join(', ')}`);
}

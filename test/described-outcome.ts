import * as z from 'zod';
import type { Outcome } from '../core/call/outcome.ts';
import { toolNamed } from '../core/tools/catalogue.ts';
import { isWrite } from '../core/tools/define-tool.ts';
import { approval, endedApproval } from '../core/tools/result-shapes.ts';

/**
 * Holds an outcome to the `output` of its tool, and every approval in it to the `output` of the tool that it is of.
 * The doors of the tests pass every outcome through here.
 * @throws Error when it says something else
 */
export function expectDescribed(name: string, outcome: Outcome): void {
  const tool = toolNamed(name);
  if (tool === undefined || outcome.status === 'error' || outcome.status === 'pending_approval') return;
  const { result } = outcome;
  const isLight = isWrite(tool) && !('approval' in result);
  const shape = !isWrite(tool) ? tool.output : isLight ? directOutput(name) : endedApproval;
  hold(`the result of ${name}`, shape, result);
  const { approval: one, approvals: several = [] } = approvalsIn.parse(result);
  for (const shown of one === undefined ? several : [one]) {
    const of = toolNamed(shown.tool);
    if (shown.result !== undefined && of !== undefined)
      hold(`an approval of ${of.name}`, of.output, shown.result);
  }
}

const approvalsIn = z.looseObject({ approval: approval.optional(), approvals: z.array(approval).optional() });

function directOutput(name: string): z.ZodType {
  const tool = toolNamed(name);
  if (tool?.kind !== 'light') throw new Error(`${name} ran without an approval`);
  return tool.directOutput;
}

function hold(what: string, shape: z.ZodType, value: unknown): void {
  const { error } = shape.safeParse(value);
  if (error !== undefined) throw new Error(`${what} is not as its tool says: ${z.prettifyError(error)}`);
}

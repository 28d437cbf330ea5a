import * as z from 'zod';
import { approval, endedApproval } from '../../../core/call/approval-shape.ts';
import { untrustedMarks, untrustedNonce } from '../../../core/safety/untrusted.ts';
import { isWrite, type Tool } from '../../../core/tools/define-tool.ts';
import type { JsonObject } from '../json-body.ts';
import type { Route } from '../routes.ts';
import { failureSchemas } from './failures.ts';
import { jsonSchemaOf, ref, type Schemas, typeName } from './json-schema.ts';
import { EVENT_SCHEMAS } from './webhooks.ts';

/** The named schemas of the description. */

export const pendingApproval = z.looseObject({
  status: z.literal('pending_approval'),
  executed: z.literal(false),
  approval: approval.extend({ state: z.enum(['pending', 'approved']) }).meta({ id: 'UndecidedApproval' }),
  approvals_url: z.string().meta({ description: 'Where the owner decides.' }),
  poll_after_s: z.int().min(1).meta({ description: 'Poll no faster than this, in seconds.' }),
  message: z
    .string()
    .meta({ examples: ['This action is NOT done yet: it waits for the owner. Poll the approval.'] }),
});

const listing = z.looseObject({
  tools: z.array(
    z.looseObject({
      name: z.string().max(64),
      title: z.string(),
      description: z.string(),
      inputSchema: z.looseObject({ type: z.literal('object') }),
      annotations: z.looseObject({
        readOnlyHint: z.boolean(),
        destructiveHint: z.boolean(),
        idempotentHint: z.boolean(),
        openWorldHint: z.boolean(),
      }),
    }),
  ),
});

export const EXECUTED = {
  approval: {
    id: 'apr_731904826550147',
    state: 'executed',
    tool: 'send_email',
    action: 'send',
    created_at: '2026-11-20T09:00:00.000Z',
    decided_at: '2026-11-20T09:04:10.000Z',
    executed_at: '2026-11-20T09:04:11.000Z',
    result: { sent: true, recipients: 1 },
  },
  meaning: 'The owner approved it, and it was carried out.',
};

/** A form of the result of a tool. */
export interface ResultForm {
  /** Of its schema. */
  readonly name: string;
  readonly shape: z.core.$ZodType;
}

/**
 * The forms of the result of a read, or of a light write that runs at once: for one message, and for several if the tool
 * takes `ids`. None for a gated write.
 */
export function resultForms(tool: Tool): readonly ResultForm[] {
  if (tool.kind === 'gated') return [];
  const output = tool.kind === 'light' ? tool.directOutput : tool.output;
  const [shape = output, several] = output instanceof z.ZodUnion ? output.options : [];
  const name = typeName(tool.name);
  const one = { name: `${name}Result`, shape };
  return several === undefined ? [one] : [one, { name: `${name}SeveralResult`, shape: several }];
}

/** Creates the schemas one at a time. @returns by name, with every schema that they refer to */
export function* schemasOf(tools: readonly Tool[], routes: readonly Route[]): Generator<undefined, Schemas> {
  const shapes: Record<string, z.ZodType> = {
    PendingApproval: pendingApproval,
    EndedApproval: endedApproval.meta({ examples: [EXECUTED] }),
    ToolList: listing,
    UntrustedMarks: untrustedMarks,
    UntrustedNonce: untrustedNonce,
    ...EVENT_SCHEMAS,
  };
  const schemas: Record<string, JsonObject> = {};
  for (const [name, shape] of Object.entries(shapes)) {
    add(name, shape);
    yield;
  }
  for (const tool of tools) {
    for (const { name, shape } of resultForms(tool)) add(name, shape);
    if (isWrite(tool)) add(`${typeName(tool.name)}ApprovalResult`, tool.output);
    yield;
  }
  return { ...schemas, ...(yield* failureSchemas(routes)) };

  function add(name: string, shape: z.core.$ZodType): void {
    const { schema, parts } = jsonSchemaOf(shape);
    Object.assign(schemas, { [name]: schema }, parts);
  }
}

/** The schema of `result` in an executed approval of this tool. */
export function approvalResultRef(tool: Tool): JsonObject {
  return isWrite(tool) ? ref(`${typeName(tool.name)}ApprovalResult`) : { type: 'object' };
}

import { z } from 'zod';

const approval = z.looseObject({ id: z.string(), state: z.string() });

/** Of the bodies that the API answers with, what tests reach into; the rest is there to be compared. */
const wireBody = z.looseObject({
  code: z.string().optional(),
  details: z
    .looseObject({
      errors: z
        .array(z.strictObject({ field: z.string(), rule: z.string(), message: z.string() }))
        .optional(),
      retry_after_s: z.number().optional(),
    })
    .optional(),
  approval: approval.optional(),
  result: z
    .looseObject({
      messages: z.array(z.looseObject({ id: z.string(), subject: z.string() })).optional(),
      next_cursor: z.string().optional(),
    })
    .optional(),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
});

export type WireBody = z.infer<typeof wireBody>;

/** No body reads like an empty one. */
export function readWireBody(text: string): WireBody {
  return wireBody.parse(text === '' ? {} : JSON.parse(text));
}

export function approvalIdIn(body: WireBody): string {
  if (body.approval === undefined) throw new Error(`there is no approval in ${JSON.stringify(body)}`);
  return body.approval.id;
}

export function firstMessageIn(body: WireBody): { id: string; subject: string } {
  const [message] = body.result?.messages ?? [];
  if (message === undefined) throw new Error(`there is no message in ${JSON.stringify(body)}`);
  return message;
}

import * as z from 'zod';
import { invalidArgument } from '../contract/schema.ts';
import type { CallContext } from './context.ts';

/** Pages of a list. The cursor contains, sealed, where the next page starts. */

export type Position = readonly (string | number)[];

export function cursorAt(context: CallContext, position: Position): string {
  return context.cursors.cursor(context.owner.ownerId, context.cursorScope, position);
}

/** @throws ServiceError invalid_arguments if it is not a cursor of this call with these arguments */
export function positionOf<T>(context: CallContext, cursor: string, shape: z.ZodType<T>): T {
  const at = shape.safeParse(context.cursors.openCursor(context.owner.ownerId, context.cursorScope, cursor));
  if (!at.success)
    throw invalidArgument('cursor', 'cursor', 'is not a cursor of this call with these arguments');
  return at.data;
}

const count = z.tuple([z.int().min(0)]);

/** How many rows earlier pages have shown, for lists that are computed again for each page. */
export function skipped(context: CallContext, cursor: string | undefined): number {
  return cursor === undefined ? 0 : positionOf(context, cursor, count)[0];
}

/** The fields of a page of such a list: `rows` is the number of rows after `skip`, `n` the number shown. */
export function pageFields(context: CallContext, skip: number, rows: number, n: number) {
  const more = n < rows;
  return {
    total: skip + rows,
    returned: n,
    has_more: more,
    ...(more ? { next_cursor: cursorAt(context, [skip + n]) } : {}),
  };
}

import * as z from 'zod';
import type { StoredAction } from '../actions/stored-action.ts';
import type { Result } from '../contract/result.ts';
import { errorName, type Log } from '../ports/log.ts';
import type { MessageHandles } from './message-handles.ts';

const moved = z.looseObject({ items: z.array(z.looseObject({ id: z.string(), done: z.boolean() })) });

/** The messages that an action has moved keep their ids. Never rejects: an id that is lost is found when it is used. */
export async function keepIds(
  { handles, log }: { readonly handles: MessageHandles; readonly log: Log },
  ownerId: string,
  action: StoredAction,
  result: Result,
): Promise<void> {
  if (action.kind !== 'move') return;
  try {
    const { items } = moved.parse(result);
    const done = new Set(items.flatMap((one) => (one.done ? [one.id] : [])));
    const targets = action.targets.filter(({ id }) => done.has(id));
    await handles.movedTo(
      ownerId,
      targets.map(({ id, to: { path } }) => ({ id, path })),
    );
  } catch (error) {
    log.warn('the ids of moved messages were not kept', errorName(error));
  }
}

import type { Storage } from '../../core/ports/storage.ts';
import { ask } from './facts.ts';
import type { Query } from './query.ts';

/** The query of one page of activity. */
export function activityQuery(query: Parameters<Storage['activity']>[0]): Query {
  const { ownerId, credentialId, tool, from, before, limit } = query;
  const ofKey = credentialId === undefined ? ('activity' as const) : ('activity_of_key' as const);
  const statement =
    tool === undefined ? ofKey : ofKey === 'activity' ? 'activity_of_tool' : 'activity_of_key_and_tool';
  return ask(statement, {
    ownerId,
    credentialId: credentialId ?? '',
    tool: tool ?? '',
    fromMs: from?.getTime() ?? Number.MIN_SAFE_INTEGER,
    atMs: before?.at.getTime() ?? Number.MAX_SAFE_INTEGER,
    id: before?.id ?? 0,
    limit,
  });
}

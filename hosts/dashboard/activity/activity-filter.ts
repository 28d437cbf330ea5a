import * as z from 'zod';
import type { ActivityQuery } from '../../../core/requests/activity-list.ts';
import { dayIn } from '../../../core/time/time-zone.ts';

/** What the owner chose to see of the activity. Empty: everything. */
export interface ChosenActivity {
  readonly key: string;
  readonly tool: string;
  /** `YYYY-MM-DD`, in the owner's time zone. */
  readonly day: string;
}

const ID = z.string().max(64);
const DAY = z.union([z.literal(''), z.iso.date()]);

/** Undefined if the page's form cannot produce this query. */
export function chosenActivity(query: URLSearchParams): ChosenActivity | undefined {
  const read = (name: string) => query.get(name) ?? '';
  const [key, tool, day] = [
    ID.safeParse(read('key')),
    ID.safeParse(read('tool')),
    DAY.safeParse(read('day')),
  ];
  if (!key.success || !tool.success || !day.success) return undefined;
  return { key: key.data, tool: tool.data, day: day.data };
}

export function activityQuery(
  { key, tool, day }: ChosenActivity,
  zone: string,
): Omit<ActivityQuery, 'limit'> {
  return {
    ...(key === '' ? {} : { credentialId: key }),
    ...(tool === '' ? {} : { tool }),
    ...(day === '' ? {} : dayIn(day, zone)),
  };
}

/** The query of an address with this choice. Starts with `?` unless it is empty. */
export function activitySearch(
  chosen: ChosenActivity,
  others: Readonly<Record<string, string>> = {},
): string {
  const parameters = Object.entries({ ...chosen, ...others }).filter(([, value]) => value !== '');
  return parameters.length === 0 ? '' : `?${new URLSearchParams(parameters).toString()}`;
}

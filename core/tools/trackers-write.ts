import * as z from 'zod';
import type { Result } from '../outcome.ts';
import type { ActionPlan } from '../plan.ts';
import { MailError } from '../ports/mail.ts';
import type { Tracker } from '../ports/tracker-storage.ts';
import { line } from '../schema.ts';
import { isoIn, startOfDay } from '../time-zone.ts';
import { defineWrite, type RunContext } from './define-tool.ts';
import { timestamp } from './result-shapes.ts';

const TITLE_CHARS = 200;

const dueDate = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .refine((date) => z.iso.date().safeParse(date).success, { message: 'is a day that exists' })
  .meta({ description: 'YYYY-MM-DD; due by the end of that day.' });

/** What the plan keeps of a tracker that is to be made. */
const record = z.strictObject({
  title: z.string(),
  keywords: z.string(),
  dueOn: z.string().nullable(),
  timezone: z.string(),
});

const created = z.looseObject({
  tracker_id: z.int().min(1),
  title: z.string(),
  status: z.enum(['open', 'waiting', 'resolved']),
  due_at: timestamp.nullable(),
  created: z.literal(true),
});

export const createTracker = defineWrite({
  name: 'create_tracker',
  title: 'Create a tracker',
  description: 'Opens a tracker for a topic; new mail that holds its keywords is linked to it.',
  group: 'trackers:write',
  kind: 'light',
  action: 'create',
  sends: false,
  repeatable: false,
  untrusted: ['title'],
  input: z.strictObject({
    title: line({ min: 1, max: TITLE_CHARS, description: 'One line.' }),
    keywords: line({
      min: 0,
      max: 500,
      description: 'Comma-separated; used for automatic linking.',
    }).optional(),
    due: dueDate.optional(),
  }),
  output: created.extend({ done: z.literal(true), action: z.literal('create') }),
  directOutput: created,
  async plan(args, { owner }) {
    const { title, keywords = '', due } = args;
    const plan: ActionPlan = {
      v: 1,
      tool: 'create_tracker',
      account: null,
      envelope: null,
      raw: null,
      messageId: null,
      targets: [],
      holds: [],
      warnings: [],
      display: [
        { label: 'Title', text: title },
        { label: 'Keywords', text: keywords },
        { label: 'Due', text: due ?? 'no date' },
      ],
      record: { title, keywords, dueOn: due ?? null, timezone: owner.timezone },
    };
    return { plan, request: { title, keywords, due }, targets: [] };
  },
  async perform(plan, run) {
    const tracker = await create(plan, run);
    return { ...shown(plan, tracker), done: true, action: 'create' };
  },
  // The same request makes one tracker only, however often it is asked for.
  check: async () => ({ kind: 'repeat' }),
  direct: (_plan, { done: _done, action: _action, ...result }) => result,
});

async function create(
  plan: ActionPlan,
  { ports, ownerId, requestId, date, start }: RunContext,
): Promise<Tracker> {
  const { title, keywords, dueOn } = record.parse(plan.record);
  if (!(await start())) throw new MailError('not_started', 'the run was not allowed to start');
  return ports.storage.createTracker({
    ownerId,
    requestId,
    title,
    keywords,
    dueOn,
    addedByAgent: true,
    now: date,
  });
}

function shown(plan: ActionPlan, tracker: Tracker): Result {
  const { timezone } = record.parse(plan.record);
  return {
    tracker_id: tracker.trackerId,
    title: tracker.title,
    status: tracker.status,
    due_at: tracker.dueOn === null ? null : endOfDay(tracker.dueOn, timezone),
    created: true,
  };
}

/** The last second of a day in the zone. */
function endOfDay(date: string, timezone: string): string {
  const noon = new Date(`${date}T12:00:00Z`);
  return isoIn(new Date(startOfDay(noon, timezone, 1).getTime() - 1000), timezone);
}

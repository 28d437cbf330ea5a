import * as z from 'zod';
import type { CallContext } from '../call/context.ts';
import { thirdParty } from '../contract/text-author.ts';
import type { MissingCalendar } from '../ports/calendar.ts';
import type { MissingMail } from '../ports/mail-reading.ts';
import type { ShownPassage } from '../provenance/read-record.ts';
import { folderName, shortened } from '../text/shortened.ts';
import { accountIdShape } from './result-shapes.ts';

/** What a server does not show, while it answers the rest: the fields of a result that name it. */

/** The most entries of `missing`. */
const MISSING_MAX = 20;
const CALENDAR_CHARS = 500;

/** Whoever shares a folder or calendar may have chosen it. */
const name = thirdParty(z.string()).meta({ description: 'Its name.' });

const shapeOf = <T extends z.ZodObject>(part: T) => ({
  missing: z
    .array(part)
    .min(1)
    .max(MISSING_MAX)
    .optional()
    .meta({ description: 'What the server does not show: the rest is here.' }),
  missing_count: z
    .int()
    .min(MISSING_MAX + 1)
    .optional()
    .meta({ description: 'How many are missing, if they are more than `missing` names.' }),
});

const calendarPart = z.object({
  account_id: accountIdShape,
  calendar: name,
  reason: z.enum(['refused', 'undeliverable']).meta({
    description: 'refused: it may not be read. undeliverable: the server fails on it at the moment.',
  }),
});
const mailPart = z.object({
  account_id: accountIdShape,
  folder: name,
  messages: z.int().min(1).optional().meta({ description: 'How many, if they are undeliverable.' }),
  reason: z.enum(['refused', 'undeliverable']).meta({
    description:
      'refused: it may not be read. undeliverable: the server cannot deliver some of its messages, which may belong here.',
  }),
});

export const missingCalendars = shapeOf(calendarPart);
export const missingMail = shapeOf(mailPart);

/** For a result that has a `total`. */
export const missingOfTotal = {
  ...missingMail,
  total_exact: z.literal(false).optional().meta({
    description:
      'Present if there may be more than `total`: something is missing, or too many match to count them.',
  }),
};

type CalendarPart = z.input<typeof calendarPart>;
type MailPart = z.input<typeof mailPart>;

export function missingCalendar(accountId: number, { name, reason }: MissingCalendar): CalendarPart {
  return { account_id: accountId, calendar: shortened(name, CALENDAR_CHARS), reason };
}

export function missingParts(accountId: number, missing: readonly MissingMail[]): MailPart[] {
  return missing.map(({ path, ...why }) => ({ account_id: accountId, folder: folderName(path), ...why }));
}

/** The fields of a result for these parts: none if nothing is missing. Records their names as read. */
export function missingFields<Part extends CalendarPart | MailPart>(
  context: CallContext,
  parts: readonly Part[],
): { missing?: Part[]; missing_count?: number } {
  const named = parts.slice(0, MISSING_MAX);
  context.read(named.map(passageOf));
  return {
    ...(named.length > 0 && { missing: named }),
    ...(parts.length > MISSING_MAX && { missing_count: parts.length }),
  };
}

/** The same for a result that has a `total`. */
export function missingFieldsOfTotal(
  context: CallContext,
  parts: readonly MailPart[],
): { missing?: MailPart[]; missing_count?: number; total_exact?: false } {
  return { ...missingFields(context, parts), ...(parts.length > 0 && { total_exact: false }) };
}

/** Nobody says who chose the name. */
function passageOf(part: CalendarPart | MailPart): ShownPassage {
  const [kind, title] =
    'folder' in part ? (['message', part.folder] as const) : (['event', part.calendar] as const);
  return {
    kind,
    id: `${kind === 'event' ? 'calendar' : 'folder'}:${part.account_id}`,
    title,
    author: '',
    quoting: null,
    origin: 'person',
    receivedMs: null,
    isListed: true,
    text: title,
  };
}

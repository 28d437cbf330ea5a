import * as z from 'zod';
import { headerOf, type RequestHead } from '../http/request-head.ts';

/** The forms in which a client accepts an answer. Source: RFC 9110, 12.5.1. */
export interface AcceptedForms {
  readonly json: boolean;
  readonly events: boolean;
}

export const JSON_TYPE = 'application/json';
export const EVENTS_TYPE = 'text/event-stream';

/** The protocol wants both forms named. Clients also name one, any, or none. */
export function acceptedForms(head: RequestHead): AcceptedForms {
  const accept = headerOf(head, 'accept') ?? '';
  if (accept.trim() === '') return { json: true, events: true };
  const ranges = new Map(accept.split(',').map(rangeOf));
  const accepts = (type: string) => {
    const [main = ''] = type.split('/');
    return (ranges.get(type) ?? ranges.get(`${main}/*`) ?? ranges.get('*/*') ?? 0) > 0;
  };
  return { json: accepts(JSON_TYPE), events: accepts(EVENTS_TYPE) };
}

/** A media range, and its weight. */
function rangeOf(written: string): [string, number] {
  const [type = '', ...parameters] = written.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((one) => one.startsWith('q='));
  return [type, weight === undefined ? 1 : Number(weight.slice(2))];
}

export interface Content {
  /** Null: there is none. */
  readonly type: string | null;
  readonly text: string;
}

/** The content in a form that the client accepts. Of events, JSON has the answers alone. */
export function acceptedContent({ type, text }: Content, { json, events }: AcceptedForms): Content {
  if (type === JSON_TYPE && !json && events) return { type: EVENTS_TYPE, text: eventOf(text) };
  if (type === EVENTS_TYPE && !events && json) return { type: JSON_TYPE, text: answersIn(text) };
  return { type, text };
}

function eventOf(text: string): string {
  return `event: message\n${text.replace(/^/gmu, 'data: ')}\n\n`;
}

const answer = z.looseObject({
  id: z.union([z.string(), z.number(), z.null()]),
  method: z.never().optional(),
});

/** One answer, or the list of those to a batch. */
function answersIn(events: string): string {
  const answers = events.split('\n\n').flatMap((event) => {
    const lines = event.split('\n').filter((line) => line.startsWith('data:'));
    const data = lines.map((line) => line.slice('data:'.length).replace(/^ /u, '')).join('\n');
    if (data.trim() === '') return [];
    const message: unknown = JSON.parse(data);
    return answer.safeParse(message).success ? [data] : [];
  });
  const [only] = answers;
  return answers.length === 1 && only !== undefined ? only : `[${answers.join(',')}]`;
}

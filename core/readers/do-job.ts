import { comparedDomains } from '../filter/domain-findings.ts';
import { safetyFindings } from '../filter/safety-filter.ts';
import { changedLines } from '../ical/changed-lines.ts';
import { containsUid } from '../ical/uid-lines.ts';
import { sentReading } from '../mime/read-sent-message.ts';
import { JOBS, type JobInput, type JobName, type JobOutput } from '../reading/jobs.ts';
import { statedPassages } from '../stated/stated-text.ts';
import { seenBody } from '../text/seen-body.ts';
import { readAttachment } from './read-attachment.ts';
import { readDocumentEvent } from './read-event.ts';
import { readEvents } from './read-events.ts';
import { messageContains, readMessage, readMessages, searchableText } from './read-message.ts';
import { readXml } from './read-xml.ts';
import { writeChanged, writeCreated, writeInvitation, writeWithout } from './write-events.ts';

/** What the Reader runs, by the names of its jobs. */
const READERS: {
  readonly [K in JobName]: (input: JobInput<K>) => JobOutput<K> | Promise<JobOutput<K>>;
} = {
  message: readMessage,
  messages: readMessages,
  attachment: readAttachment,
  search: messageContains,
  searchable: searchableText,
  text: ({ text, window }) => seenBody(text, window),
  sent: ({ raw }) => sentReading(raw),
  stated: (texts) => texts.map(statedPassages),
  domains: comparedDomains,
  safety: safetyFindings,
  events: readEvents,
  event: readDocumentEvent,
  createdEvent: writeCreated,
  changedEvent: writeChanged,
  objectWithout: writeWithout,
  changedLines: ({ before, after }) => changedLines(before, after),
  invitation: writeInvitation,
  uid: ({ objects, uid }) => objects.flatMap((ics, index) => (containsUid(ics, uid) ? [index] : [])),
  xml: readXml,
};

/** Does a job of the Reader. */
export async function doJob<K extends JobName>(name: K, input: JobInput<K>): Promise<JobOutput<K>> {
  return READERS[name](input);
}

/** The same for an input from another process. @throws Error if it does not fit the job */
export function doOrderedJob<K extends JobName>(name: K, input: unknown): Promise<JobOutput<K>> {
  return doJob(name, JOBS[name].input.parse(input));
}

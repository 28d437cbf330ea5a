import { attachmentJob } from './attachment-job.ts';
import { domainsJob } from './domains-job.ts';
import { changedEventJob, changedLinesJob, createdEventJob, objectWithoutJob } from './event-change-jobs.ts';
import { eventJob } from './event-job.ts';
import { eventsJob } from './events-job.ts';
import { invitationJob } from './invitation-job.ts';
import type { Job } from './job.ts';
import { messageJob, messagesJob } from './message-job.ts';
import { safetyJob } from './safety-job.ts';
import { searchableJob, searchJob } from './search-job.ts';
import { sentJob } from './sent-job.ts';
import { statedJob } from './stated-job.ts';
import { textJob } from './text-job.ts';
import { uidJob } from './uid-job.ts';
import { xmlJob } from './xml-job.ts';

/** All jobs of a Reader. */
const jobs = {
  message: messageJob,
  messages: messagesJob,
  attachment: attachmentJob,
  search: searchJob,
  searchable: searchableJob,
  text: textJob,
  sent: sentJob,
  stated: statedJob,
  domains: domainsJob,
  safety: safetyJob,
  events: eventsJob,
  event: eventJob,
  createdEvent: createdEventJob,
  changedEvent: changedEventJob,
  objectWithout: objectWithoutJob,
  changedLines: changedLinesJob,
  invitation: invitationJob,
  uid: uidJob,
  xml: xmlJob,
};

export type JobName = keyof typeof jobs;
type Sides = {
  [K in JobName]: (typeof jobs)[K] extends Job<infer I, infer O>
    ? { readonly in: I; readonly out: O }
    : never;
};
export type JobInput<K extends JobName> = Sides[K]['in'];
export type JobOutput<K extends JobName> = Sides[K]['out'];

export const JOBS: { readonly [K in JobName]: Job<JobInput<K>, JobOutput<K>> } = jobs;

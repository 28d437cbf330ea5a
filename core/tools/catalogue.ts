import type { Failure, Pending, Success } from '../call/outcome.ts';
import { listEvents } from './calendar-read.ts';
import { cancelEvent, confirmEvent, createEvent, proposeEvent, updateEvent } from './calendar-write.ts';
import type { Tool } from './define-tool.ts';
import { listAttachments, readAttachment } from './mail-attachments.ts';
import { listAccounts, listFolders } from './mail-folders.ts';
import { listUnread, summarizeInbox } from './mail-list.ts';
import { archiveEmail, deleteEmail, labelEmail, moveEmail } from './mail-manage.ts';
import { flagEmail, markRead, markUnread } from './mail-organize.ts';
import { getEmail } from './mail-read.ts';
import { sendReply } from './mail-reply.ts';
import { searchInbox } from './mail-search.ts';
import { forwardEmail, sendEmail } from './mail-send.ts';
import { getThread } from './mail-thread.ts';
import { cancelApproval, getApproval, getMe, listApprovals } from './own-affairs.ts';
import { getTracker, listTrackers } from './trackers-read.ts';
import { resolveTracker } from './trackers-remove.ts';
import {
  addTrackerNote,
  createTracker,
  linkEventToTracker,
  linkToTracker,
  setTrackerStatus,
} from './trackers-write.ts';

/** Every tool with its types, in the order of the list. */
const TOOLS = [
  getMe,
  listApprovals,
  getApproval,
  cancelApproval,
  listAccounts,
  listFolders,
  summarizeInbox,
  listUnread,
  searchInbox,
  getEmail,
  getThread,
  listAttachments,
  readAttachment,
  sendEmail,
  forwardEmail,
  sendReply,
  archiveEmail,
  deleteEmail,
  moveEmail,
  labelEmail,
  markRead,
  markUnread,
  flagEmail,
  listEvents,
  createEvent,
  proposeEvent,
  updateEvent,
  cancelEvent,
  confirmEvent,
  listTrackers,
  getTracker,
  createTracker,
  setTrackerStatus,
  addTrackerNote,
  linkToTracker,
  linkEventToTracker,
  resolveTracker,
] as const satisfies readonly Tool[];

/** Every tool, in the order of the list. */
export const CATALOGUE: readonly Tool[] = TOOLS;

export type ToolName = (typeof TOOLS)[number]['name'];

type TypesOf<Name extends ToolName> = NonNullable<
  Extract<(typeof TOOLS)[number], { readonly name: Name }>['Types']
>;

/** The arguments of a tool. */
export type ToolArguments<Name extends ToolName> = TypesOf<Name>['args'];

/**
 * The outcome of a call of a tool. A write whose approval has ended returns the approval; a small change that ran at once
 * returns its own result. Third-party text is named in `untrusted_fields`.
 */
export type ToolOutcome<Name extends ToolName> = Success<TypesOf<Name>['result']> | Pending | Failure;

/** The part of a result for several messages. */
interface ForSeveral {
  readonly messages: unknown;
}

type ResultForOne<Name extends ToolName> = Exclude<TypesOf<Name>['result'], ForSeveral>;

/** The tools whose result has another form for several messages (`ids`) than for one (`id`). */
export type OneOrSeveral = {
  [Name in ToolName]: [Extract<TypesOf<Name>['result'], ForSeveral>] extends [never]
    ? never
    : [ResultForOne<Name>] extends [never]
      ? never
      : Name;
}[ToolName];

/** The outcome of a call of such a tool with the id of one message. */
export type OutcomeForOne<Name extends OneOrSeveral> = Success<ResultForOne<Name>> | Pending | Failure;

const BY_NAME: ReadonlyMap<string, Tool> = new Map(CATALOGUE.map((tool) => [tool.name, tool]));

export function findTool(name: string): Tool | undefined {
  return BY_NAME.get(name);
}

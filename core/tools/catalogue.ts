import { listEvents } from './calendar-read.ts';
import type { Tool } from './define-tool.ts';
import { markRead } from './mail-organize.ts';
import { getEmail, listAccounts, summarizeInbox } from './mail-read.ts';
import { sendReply } from './mail-reply.ts';
import { sendEmail } from './mail-send.ts';
import { cancelApproval, getApproval, getMe, listApprovals } from './own-affairs.ts';
import { createTracker } from './trackers-write.ts';

/** Every tool, in the order in which they are listed. */
export const CATALOGUE: readonly Tool[] = [
  getMe,
  listApprovals,
  getApproval,
  cancelApproval,
  listAccounts,
  summarizeInbox,
  getEmail,
  sendEmail,
  sendReply,
  markRead,
  listEvents,
  createTracker,
];

const BY_NAME: ReadonlyMap<string, Tool> = new Map(CATALOGUE.map((tool) => [tool.name, tool]));

export function toolNamed(name: string): Tool | undefined {
  return BY_NAME.get(name);
}

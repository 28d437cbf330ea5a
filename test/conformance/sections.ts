import { describe } from 'vitest';

/** The sections of the contract of REST and MCP, followed by how it is read where it leaves something open. */
export const SECTIONS = [
  'What the service does',
  'Resources: Response envelope',
  'Resources: Identifier formats',
  'Resources: Message summary',
  'Resources: Message detail',
  'Resources: Attachment',
  'Resources: Thread',
  'Resources: Account',
  'Resources: Folder',
  'Resources: Calendar event',
  'Resources: Tracker',
  'Resources: Approval',
  'Resources: Key description',
  'Resources: Permission groups',
  'States: Approval request',
  'States: Calendar event',
  'States: Tracker',
  'States: Message read state',
  'Endpoints: Common rules',
  'Endpoints: Meta',
  'Endpoints: Approvals',
  'Endpoints: Accounts and folders',
  'Endpoints: Messages',
  'Endpoints: Threads',
  'Endpoints: Calendar events',
  'Endpoints: Trackers',
  'Authentication',
  'Events',
  'Errors',
  'Limits',
  'Versioning',
  'Notes: Where the contract is silent',
  'Notes: Tools and their arguments',
  'Notes: Where the contract can be read in two ways',
  'Notes: What we add',
] as const;

export type Section = (typeof SECTIONS)[number];

/** Declares the checks of a section. Each test counts as one; see `sectionReporter`. */
export function section(name: Section, checks: () => void): void {
  describe(name, checks);
}

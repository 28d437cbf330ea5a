/** What authors of adapters need: the ports and what goes over them. */

export { plainDocuments, plainEvent } from './accounts/plain-documents.ts';
export {
  APPROVAL_REASONS,
  APPROVAL_STATES,
  type Approval,
  type ApprovalError,
  type ApprovalState,
} from './approvals/approval.ts';
export { ERRORS, type ErrorCode, type ErrorDetails, ServiceError } from './contract/errors.ts';
export {
  type FolderRoles,
  type FolderRolesChange,
  folderRolesText,
  type Pin,
  type PinnedRole,
  readFolderRoles,
} from './folders/roles.ts';
export {
  type LimitOverrides,
  type Limits,
  type LimitVerdict,
  PLAN_LIMITS,
  type Rate,
  type Window as MinuteWindow,
} from './gate/limits.ts';
export type { FailedTries, TriesCounter } from './gate/password-tries.ts';
export {
  GROUPS,
  type Group,
  type Mode,
  type Modes,
  modesOf,
  type Plan,
} from './gate/permissions.ts';
export type { Session, StoredSession } from './gate/session.ts';
export { messageRow } from './mail/message-row.ts';
export { headerBlock } from './mail/mime-tree.ts';
export { type MessageHeaders, parseHeaders } from './mail/parse.ts';
export { sentCopyOf } from './mail/sent-copy.ts';
export type { Account } from './ports/account.ts';
export type {
  AttachmentText,
  ExtractedText,
  NoTextFacts,
  NoTextReason,
  Picture,
} from './ports/attachment-text.ts';
export type {
  Agent,
  Answer as AttendeeAnswer,
  Attendee,
  Calendar,
  CalendarEvent,
  CalendarInfo,
  DocumentPlace,
  DocumentReading,
  DocumentWriting,
  EventDocuments,
  EventFacts,
  EventKey,
  EventList,
  EventLock,
  EventReading,
  KeyInDocument,
  Participant,
  RangeQuery,
  Role,
  StoredEvent as StoredCalendarEvent,
} from './ports/calendar.ts';
export type {
  CalendarObjects,
  ObjectSeen,
  ObjectsInCalendar,
  StoredObject,
} from './ports/calendar-objects.ts';
export type { Clock, Random } from './ports/clock.ts';
export type { Log, LogFields } from './ports/log.ts';
export {
  type FolderRole,
  type MailAccount,
  type MailCall,
  MailError,
  type MailErrorCode,
  type MailFlag,
  type MailFolder,
  type MessagePlace,
  type Start,
} from './ports/mail.ts';
export type { MailChanging } from './ports/mail-changing.ts';
export type { MailConnections } from './ports/mail-connections.ts';
export {
  type AttachmentSource,
  type DescribedAttachment,
  type FolderCounts,
  folderKey,
  type ListedMessage,
  type ListPosition,
  type ListQuery,
  type MailReading,
  type MessagePage,
  type MessageSource,
  type RawMessage,
  ROW_FIELDS,
  SENT_COPIES_MAX,
  SENT_COPY_FIELDS,
  type SearchPosition,
  type SearchQuery,
  SOURCE_BYTES,
  THREAD_MAX,
} from './ports/mail-reading.ts';
export type { MailSending, Outgoing } from './ports/mail-sending.ts';
export type { Mail, Ports } from './ports/ports.ts';
export type { Reader, Reading, UnreadableReason } from './ports/reader.ts';
export type {
  AccountStorage,
  Activity,
  ApprovalStorage,
  Caller,
  CallStorage,
  ClaimRef,
  Credential,
  CredentialStorage,
  Filing,
  Held,
  Owner,
  OwnerStorage,
  PasswordStorage,
  Reclaimed,
  SessionStorage,
  Settlement,
  Storage,
  StoredActivity,
  StoredEvent,
  TriesRows,
} from './ports/storage.ts';
export type {
  Change,
  Commit,
  FactKind,
  FactKinds,
  FactsOf,
  Judged,
  Need,
  NeedOf,
  NumberedKey,
  Standing,
  Store,
  StoredClaim,
  StoredCredential,
  StoredDevice,
  StoredTracker,
  StoredUsage,
  TrackersFacts,
} from './ports/store.ts';
export type { Summarizer, Summary, SummarySource } from './ports/summarizer.ts';
export type {
  LinkContent,
  LinkedMessage,
  NumberedEvent,
  Tracker,
  TrackerLink,
  TrackerStatus,
  TrackerStorage,
  TrackerSummary,
} from './ports/tracker-storage.ts';
export type {
  InboxPosition,
  WaitingTracker,
  WatchedInbox,
  WatchStorage,
} from './ports/watch-storage.ts';
export type { WorkObserver } from './ports/work-observer.ts';
export { createStorage } from './storage/create-storage.ts';

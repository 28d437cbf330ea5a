/** What authors of adapters need: the ports, what goes over them, and the rules that a store applies. */

export {
  APPROVAL_REASONS,
  APPROVAL_STATES,
  type Approval,
  type ApprovalError,
  type ApprovalEvent,
  type ApprovalState,
  type FilingVerdict,
  newApproval,
  toldAs,
  transition,
} from './approval.ts';
export {
  type CallFacts,
  type CallFiling,
  type CallVerdict,
  decideCall,
  EXECUTED_LATELY_MS,
  REJECTED_MS,
  SAME_UNFINISHED_MS,
  SENDS_DAY_MS,
  SENDS_SHORT_MS,
} from './decide-call.ts';
export { type ErrorCode, type ErrorDetails, ServiceError } from './errors.ts';
export {
  changedRoles,
  type FolderRoles,
  type FolderRolesChange,
  folderRolesText,
  type Pin,
  type PinnedRole,
  readFolderRoles,
} from './folders/roles.ts';
export { type ClaimVerdict, type IdempotencyClaim, isAnswer, judgeClaim } from './idempotency.ts';
export {
  judgeLimits,
  type LimitOverrides,
  type Limits,
  type LimitVerdict,
  limitsOf,
  nextUtcMidnight,
  PLAN_LIMITS,
  type Rate,
  type Usage,
  type Window as MinuteWindow,
} from './limits.ts';
export { messageRow } from './mail/message-row.ts';
export { headerBlock } from './mail/mime-tree.ts';
export { type MessageHeaders, parseHeaders } from './mail/parse.ts';
export { sentCopyOf } from './mail/sent-copy.ts';
export {
  DEVICES_KEPT,
  type FailedTries,
  giveTryBack,
  judgePasswordTry,
  type PasswordTryFacts,
  type PasswordTryVerdict,
  type TriesChange,
  type TriesCounter,
} from './password-tries.ts';
export { effectiveMode, type Group, type Mode, type Modes, modesOf, type Plan } from './permissions.ts';
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
export type { Session, StoredSession } from './session.ts';

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
export type { EventChange } from './calendar/event-plan.ts';
export { createService, type ServiceOptions } from './create-service.ts';
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
export { ERRORS, type ErrorCode, type ErrorDetails, ServiceError } from './errors.ts';
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
export type { Failure, Outcome, Pending, Success, WireApproval } from './outcome.ts';
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
export {
  effectiveMode,
  GROUPS,
  type Group,
  type Mode,
  type Modes,
  modesOf,
  type Plan,
  PRESETS,
  type Preset,
} from './permissions.ts';
export type { ActionPlan, MessageTarget } from './plan.ts';
export type { Account } from './ports/account.ts';
export type {
  AttachmentText,
  ExtractedText,
  NoTextFacts,
  NoTextReason,
  Picture,
} from './ports/attachment-text.ts';
export type {
  Calendar,
  CalendarEvent,
  CalendarInfo,
  EventKey,
  EventList,
  ObjectPlace,
  StoredEvent as StoredCalendarEvent,
} from './ports/calendar.ts';
export type { Clock, Random } from './ports/clock.ts';
export type { Log, LogFields } from './ports/log.ts';
export {
  type AttachmentSource,
  type DescribedAttachment,
  type Draft,
  type FolderCounts,
  type FolderRole,
  folderKey,
  type Invitation,
  type ListPosition,
  type ListQuery,
  type Mail,
  type MailAccount,
  type MailAddress,
  type MailCall,
  MailError,
  type MailErrorCode,
  type MailFlag,
  type MailFolder,
  type MessagePage,
  type MessagePlace,
  type MessageRow,
  type MessageSource,
  type Outgoing,
  type RawMessage,
  SENT_COPIES_MAX,
  type SearchPosition,
  type SearchQuery,
  type SentCopy,
  SOURCE_BYTES,
  type Start,
  THREAD_MAX,
} from './ports/mail.ts';
export type { Ports } from './ports/ports.ts';
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
export type {
  AccountFolders,
  Accounts,
  Admission,
  Answer,
  Approvals,
  ApprovalView,
  Calls,
  Decided,
  FolderChoice,
  FolderChoices,
  Keys,
  Owners,
  Service,
  Sessions,
  ToolCall,
  Trackers,
} from './service.ts';
export type { Session, StoredSession } from './session.ts';

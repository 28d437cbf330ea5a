/** What an app that embeds Countersign needs. What authors of adapters need is in adapter.ts. */

export type { ActionFacts } from './actions/action.ts';
export type { EventChange } from './actions/planned-change.ts';
export type {
  Approval,
  ApprovalError,
  ApprovalState,
  Rejection,
  RejectionReason,
} from './approvals/approval.ts';
export type { Failure, Outcome, Pending, Success, WireApproval } from './call/outcome.ts';
export {
  ERRORS,
  type ErrorCode,
  type ErrorDetails,
  ServiceError,
  ServiceStoppedError,
} from './contract/errors.ts';
export { EventCursorError } from './events/event-stream.ts';
export type { MailFolder } from './folders/folder.ts';
export type { FolderRoles, PinnedRole } from './folders/roles.ts';
export type { Fences } from './gate/fences.ts';
export type { LimitOverrides, Limits, Rate } from './gate/limits.ts';
export {
  GROUPS,
  type Group,
  type Mode,
  type Modes,
  type Plan,
  PRESETS,
  type Preset,
} from './gate/permissions.ts';
export type { Session, StoredSession } from './gate/session.ts';
export type { Account } from './ports/account.ts';
export type { StoredActivity } from './ports/activity.ts';
export type { Calendar, CalendarInfo } from './ports/calendar.ts';
export type { CalendarObjects } from './ports/calendar-objects.ts';
export type { Caller } from './ports/call-storage.ts';
export type { Clock } from './ports/clock.ts';
export type { Credential } from './ports/credential-storage.ts';
export type { Log, LogFields } from './ports/log.ts';
export { MailError, type MailErrorCode } from './ports/mail.ts';
export type { Owner } from './ports/owner-storage.ts';
export type { Mail, Ports } from './ports/ports.ts';
export type { StoredEvent } from './ports/stored-event.ts';
export type { Tracker, TrackerLink, TrackerStatus } from './ports/tracker-storage.ts';
export type { WorkObserver } from './ports/work-observer.ts';
export type { Random } from './secrets/random.ts';
export { createService, type ServiceOptions } from './service/create-service.ts';
export type {
  AccountFolders,
  Accounts,
  Admission,
  Answer,
  ApprovalContent,
  ApprovalGist,
  ApprovalSummary,
  Approvals,
  ApprovalView,
  CallOptions,
  Calls,
  Decided,
  DecidedIn,
  DecidedWhere,
  EventListener,
  FencesRequest,
  FolderChoice,
  FolderChoices,
  IssuedTokens,
  KeyCalls,
  Keys,
  KeyTool,
  ListenerEvent,
  OnArguments,
  OwnerFields,
  Owners,
  PendingListener,
  RejectOptions,
  RequestsNow,
  RequestWatcher,
  Service,
  Sessions,
  SignIns,
  ToolCall,
  Trackers,
} from './service/service.ts';
export type { ToolArguments, ToolName, ToolOutcome } from './tools/catalogue.ts';
export type { ToolListing } from './tools/define-tool.ts';

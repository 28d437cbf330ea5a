/** What an app that embeds Countersign needs. What authors of adapters need is in adapter.ts. */

export type { ActionFacts } from './actions/action.ts';
export type { Approval, ApprovalError, ApprovalState } from './approval.ts';
export type { EventChange } from './calendar/planned-change.ts';
export { createService, type ServiceOptions } from './create-service.ts';
export { ERRORS, type ErrorCode, type ErrorDetails, ServiceError } from './errors.ts';
export type { FolderRoles, PinnedRole } from './folders/roles.ts';
export type { LimitOverrides, Limits, Rate } from './limits.ts';
export type { Failure, Outcome, Pending, Success, WireApproval } from './outcome.ts';
export {
  GROUPS,
  type Group,
  type Mode,
  type Modes,
  type Plan,
  PRESETS,
  type Preset,
} from './permissions.ts';
export type { Account } from './ports/account.ts';
export type { CalendarInfo } from './ports/calendar.ts';
export type { Clock, Random } from './ports/clock.ts';
export type { Log, LogFields } from './ports/log.ts';
export { MailError, type MailErrorCode, type MailFolder } from './ports/mail.ts';
export type { Ports } from './ports/ports.ts';
export type { Caller, Credential, Owner, StoredActivity, StoredEvent } from './ports/storage.ts';
export type { Tracker, TrackerLink, TrackerStatus } from './ports/tracker-storage.ts';
export type { WorkObserver } from './ports/work-observer.ts';
export type {
  AccountFolders,
  Accounts,
  Admission,
  Answer,
  ApprovalContent,
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

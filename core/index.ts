/** The exports for an app that embeds Countersign. Those for authors of adapters are in adapter.ts. */

export type { AccountFolders, Accounts } from './accounts/accounts.ts';
export type { FolderChoice, FolderChoices } from './accounts/chosen-pins.ts';
export type {
  FinishedSignIn,
  MailSignIns,
  ProviderInfo,
  SignInPurpose,
  SignInState,
} from './accounts/mail-sign-ins.ts';
export type { ActionFacts } from './actions/action.ts';
export type { ActionEffect } from './actions/effect.ts';
export type { ActionGist } from './actions/gist.ts';
export type { MessageState } from './actions/message-state.ts';
export type { ActingAccount, MessageTarget } from './actions/message-target.ts';
export type { EventChange } from './actions/planned-change.ts';
export type { ActivityRecord } from './activity/activity.ts';
export type {
  Approval,
  ApprovalError,
  ApprovalState,
  Rejection,
  RejectionReason,
} from './approvals/approval.ts';
export type { EventNotices } from './calendar/notices.ts';
export type { Failure, Outcome, Pending, Success, WireApproval } from './call/outcome.ts';
export {
  ERRORS,
  type ErrorCode,
  type ErrorDetails,
  ServiceError,
  ServiceStoppedError,
} from './contract/errors.ts';
export type { Result } from './contract/result.ts';
export type { EventListener, ListenerEvent } from './events/event-listener.ts';
export { EventCursorError } from './events/event-stream.ts';
export type { WebhookEndpoint, Webhooks } from './events/webhooks.ts';
export type { DecisionNotes } from './execution/sealed-words.ts';
export type { FolderRoles, PinnedRole } from './folders/roles.ts';
export type { CallOptions, KeyCalls, KeyTool } from './gate/key-calls.ts';
export type { Fences } from './keys/fences.ts';
export type { CredentialUse } from './keys/key-storage.ts';
export type { FencesRequest, Keys } from './keys/keys.ts';
export type { LimitOverrides, Limits } from './keys/limits.ts';
export type { Credential } from './keys/live-key.ts';
export {
  GROUPS,
  type Group,
  type Mode,
  type Modes,
  type Plan,
  PRESETS,
  type Preset,
} from './keys/permissions.ts';
export type { IssuedTokens, SignIns } from './keys/sign-ins.ts';
export type { Invitation } from './mail/compose.ts';
export type { MessageSizes } from './mail/message-sizes.ts';
export type { SentMessage } from './mail/sent-message.ts';
export type { IndexState } from './mail-index/kept-index.ts';
export type { AccountIndex, MailIndexes } from './mail-index/mail-indexes.ts';
export type { NoticeSettings, QuietHours } from './notices/notice-rule.ts';
export type { NewNoticeChannel, NoticeChannelView, Notices } from './notices/notices.ts';
export type { AccessChange, AccessChanges } from './owners/access-change.ts';
export type { OwnerProof, ProofLevel } from './owners/owner-proof.ts';
export type { Owner } from './owners/owner-state.ts';
export type { AlteredAccess } from './owners/owner-storage.ts';
export type { OwnerFields, Owners } from './owners/owners.ts';
export type { Passkey } from './owners/second-step.ts';
export type {
  NewAuthenticatorApp,
  PasskeyRequest,
  SecondSteps,
  SecondStepView,
} from './owners/second-steps.ts';
export type { ListedSession, Session } from './owners/session.ts';
export type { PasskeyAnswer, SecondStepNeeded, Sessions, SignedIn } from './owners/sessions.ts';
export type { Setup } from './owners/setup.ts';
export type { Draft } from './plans/edit-diff.ts';
export type { Account } from './ports/account.ts';
export type { ServerHealth, ServerRole, ServerState, ServerTrouble } from './ports/account-health.ts';
export type { CalendarInfo } from './ports/calendar.ts';
export type { Log, LogFields } from './ports/log.ts';
export { MailError, type MailErrorCode } from './ports/mail.ts';
export type { Notice, NoticeEnd, NoticeSender } from './ports/notice-sender.ts';
export type { NoticeKind, NoticeTarget } from './ports/notice-target.ts';
export type { PriorRead } from './provenance/read-lines.ts';
export type { ActivityEntry, ActivityList, ActivityQuery } from './requests/activity-list.ts';
export type {
  ApprovalContent,
  ApprovalGist,
  ApprovalHeading,
  ApprovalSummary,
  ApprovalView,
  DecidedIn,
  DecidedWhere,
  ShownFinding,
} from './requests/approval-views.ts';
export type {
  Approvals,
  ChangePreview,
  Decided,
  DecidedChange,
  DecidedMember,
  TogetherMember,
} from './requests/approvals.ts';
export { togetherDigest } from './requests/decide-together.ts';
export type { RejectOptions } from './requests/rejection.ts';
export type { RequestsNow, RequestWatcher } from './requests/request-watch.ts';
export type { ShownSource } from './requests/shown-sources.ts';
export type { Finding, NamedFinding } from './safety/finding.ts';
export type { FindingSentence } from './safety/finding-text.ts';
export type { PasskeyPlace } from './secrets/webauthn.ts';
export { createService, type ServiceOptions } from './service/create-service.ts';
export type {
  OnArguments,
  PendingListener,
  Service,
} from './service/service.ts';
export type { OneOrSeveral, OutcomeForOne, ToolArguments, ToolName, ToolOutcome } from './tools/catalogue.ts';
export type { ToolHints, ToolListing } from './tools/define-tool.ts';
export type { LinkableEvent, LinkableMessage, TrackerLinks } from './trackers/linkable.ts';
export type { Tracker, TrackerFields, TrackerLink, TrackerStatus } from './trackers/tracker-storage.ts';
export type { Trackers } from './trackers/trackers.ts';

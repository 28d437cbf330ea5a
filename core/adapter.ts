/** The exports for authors of adapters (the ports, and what goes over them), and for a door of your own. */

export type { AccountStorage } from './accounts/account-storage.ts';
export type { GrantStorage, PendingGrant } from './accounts/grant-storage.ts';
export type { AccountHealthStorage } from './accounts/health-storage.ts';
export type { KnownStorage } from './accounts/known-storage.ts';
export { plainDocuments, plainEvent } from './accounts/plain-documents.ts';
export type {
  Activity,
  ActivityFilter,
  ActivityPlace,
  ListedActivity,
  StoredActivity,
} from './activity/activity.ts';
export { ACTIVITY_KINDS } from './activity/activity.ts';
export type { Checkpoint } from './activity/activity-state.ts';
export type { ActivityStorage } from './activity/activity-storage.ts';
export {
  APPROVAL_ERRORS,
  APPROVAL_STATES,
  type Approval,
  type ApprovalError,
  type ApprovalState,
  type Approved,
  type Authorization,
  type Edit,
  type Executed,
  type FiledApproval,
  type FollowUpError,
  REJECTION_REASONS,
  type Rejection,
  type RejectionReason,
  type RetryCause,
} from './approvals/approval.ts';
export type { ApprovalStorage, EditedPlan, OpenApprovals } from './approvals/approval-storage.ts';
export type { CallFiling } from './approvals/decide-call.ts';
export type { Filing, FilingStorage } from './approvals/filing-storage.ts';
export type { Reclaimed, Relocated, RunStorage, Settlement } from './approvals/run-storage.ts';
export type {
  Agent,
  Answer as AttendeeAnswer,
  Attendee,
  CalendarEvent,
  EventFacts,
  EventKey,
  LeftOut,
  Participant,
  RangeQuery,
  Role,
} from './calendar/event.ts';
export type {
  DocumentReading,
  DocumentWriting,
  EventLock,
  EventReading,
  InvitationStatus,
  KeyInDocument,
} from './calendar/event-document.ts';
export type { EventNumberStorage, NumberedEvent } from './calendar/event-number-storage.ts';
export type { UnusableReason } from './calendar/why-unusable.ts';
export { ERRORS, type ErrorCode, type ErrorDetails, ServiceError } from './contract/errors.ts';
export type { OptionType } from './contract/options.ts';
export { checkOptions, type OptionTypes } from './contract/options.ts';
export {
  type AttemptEnd,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryState,
  WAIT_MAX_MS,
} from './events/delivery.ts';
export type {
  BegunAttempt,
  DeliveryRecord,
  DeliveryStorage,
  EndedAttempt,
} from './events/delivery-storage.ts';
export { DISABLED_REASONS, type DisabledReason, type EndpointHealth } from './events/endpoint-health.ts';
export type { DeliveryRef, Endpoint, EndpointRef, EndpointStorage } from './events/endpoint-storage.ts';
export type { EventStorage, PositionedEvent, StoredEvent } from './events/event-storage.ts';
export type { EventStream } from './events/event-stream.ts';
export {
  type EventContent,
  eventContent,
  SUBSCRIBED_TYPES,
  type SubscribedType,
} from './events/webhook-event.ts';
export type { AttemptLog } from './events/webhook-state.ts';
export type { FolderRole, MailFolder } from './folders/folder.ts';
export type { CreatableRole } from './folders/roles.ts';
export {
  type FolderRoles,
  type FolderRolesChange,
  folderRolesText,
  type Pin,
  type PinnedRole,
  readFolderRoles,
} from './folders/roles.ts';
export type { Admission, Calls } from './gate/calls.ts';
export type { Answer, ToolCall } from './gate/tool-call.ts';
export type { Caller, CallStorage, ClaimRef, CredentialRef, Held } from './keys/call-storage.ts';
export type { Reach } from './keys/fences.ts';
export { type Fences, fencesIn, fencesText, NO_FENCES } from './keys/fences.ts';
export type { Grant } from './keys/grant.ts';
export type { CredentialStorage, CredentialUse } from './keys/key-storage.ts';
export type { OverLimit } from './keys/limits.ts';
export {
  type LimitOverrides,
  type Limits,
  type LimitVerdict,
  PLAN_LIMITS,
  type Rate,
  type Window as MinuteWindow,
} from './keys/limits.ts';
export type { Credential } from './keys/live-key.ts';
export {
  GROUPS,
  type Group,
  type Mode,
  type Modes,
  modesOf,
  type Plan,
} from './keys/permissions.ts';
export type { Registration } from './keys/sign-in/client.ts';
export type { OAuthError, Refusal } from './keys/sign-in/refusal.ts';
export type { SignInRequest } from './keys/sign-in/request.ts';
export type { NewTokens, RefreshEnd, SignInStorage } from './keys/sign-in-storage.ts';
export type { MailAddress } from './mail/address.ts';
export type { AttachmentInfo } from './mail/attachment-info.ts';
export { headerBlock } from './mail/header-fields.ts';
export {
  type ListedMessage,
  type MailFlag,
  type MessagePlace,
  RECEIPT_FIELDS,
  ROW_FIELDS,
} from './mail/listed-message.ts';
export type { MessageHeaders } from './mail/message-headers.ts';
export { parseHeaders, type ReadHeaders } from './mail/message-headers.ts';
export type { HeaderFacts, MessageRow } from './mail/message-row.ts';
export { messageRow } from './mail/message-row.ts';
export type { MessageSizes } from './mail/message-sizes.ts';
export {
  type AttachmentSource,
  type DescribedAttachment,
  type MessageSource,
  SOURCE_BYTES,
} from './mail/message-source.ts';
export type { Protection } from './mail/protection.ts';
export type { SentCopy } from './mail/sent-copy.ts';
export { isSentTo, sentCopyOf } from './mail/sent-copy.ts';
export { type BoundedCache, boundedCache } from './memory/bounded-cache.ts';
export {
  DEFAULT_NOTICE_SETTINGS,
  type NoticeSettings,
  type NoticeWait,
  type QuietHours,
} from './notices/notice-rule.ts';
export type { NoticeChannel } from './notices/notice-state.ts';
export type {
  ClaimedNotice,
  NoticeAttemptEnd,
  NoticeStorage,
  OwnerToNotify,
} from './notices/notice-storage.ts';
export { ACCESS_CHANGES, type AccessChange, type AccessChanges } from './owners/access-change.ts';
export type { FailedTries } from './owners/backoff.ts';
export { PROOF_LEVELS, type ProofLevel } from './owners/owner-proof.ts';
export type { Owner } from './owners/owner-state.ts';
export type {
  OwnerRemoval,
  OwnerSettings,
  OwnerStorage,
  OwnerUpdate,
  SetupLink,
} from './owners/owner-storage.ts';
export type { OwnerToCheck, PasswordStorage, TriesRows } from './owners/password-storage.ts';
export type { PasswordTryFacts, TriesCounter } from './owners/password-tries.ts';
export type { AuthenticatorApp, Passkey, SecondStep, SecondStepProof } from './owners/second-step.ts';
export type { SecondStepChange, SecondStepEnd, SecondStepStorage } from './owners/second-step-storage.ts';
export type { Session, StoredSession } from './owners/session.ts';
export type { SessionStorage } from './owners/session-storage.ts';
export type { Account, StoredGrant } from './ports/account.ts';
export {
  needsOwner,
  SERVER_ROLES,
  SERVER_STATES,
  type ServerHealth,
  type ServerRole,
  type ServerState,
  type ServerTrouble,
} from './ports/account-health.ts';
export { announcedVisits, type Watch } from './ports/announced-visits.ts';
export type {
  AttachmentText,
  ExtractedText,
  NoTextFacts,
  NoTextReason,
  Picture,
} from './ports/attachment-text.ts';
export type {
  Calendar,
  CalendarAccess,
  CalendarInfo,
  DocumentPlace,
  EventDocuments,
  EventList,
  StoredEvent as StoredCalendarEvent,
  UnusableCalendar,
} from './ports/calendar.ts';
export type {
  CalendarObjects,
  NamedObject,
  ObjectSeen,
  ObjectsInCalendar,
  RefusedCalendar,
  StoredObject,
} from './ports/calendar-objects.ts';
export type { Clock } from './ports/clock.ts';
export type { DocumentSource, PublishedDocument } from './ports/document-source.ts';
export type { Log, LogFields } from './ports/log.ts';
export {
  type AccessToken,
  type MailAccount,
  type MailCall,
  MailError,
  type MailErrorCode,
  SignInWithdrawn,
  type Start,
} from './ports/mail.ts';
export type { MailChanging } from './ports/mail-changing.ts';
export type { MailConnections } from './ports/mail-connections.ts';
export {
  type DeviceSignIn,
  type MailProvider,
  ProviderError,
  type ProviderErrorCode,
  type ProviderGrant,
  type ProviderTokens,
} from './ports/mail-provider.ts';
export {
  type Conversation,
  type FolderCounts,
  folderKey,
  type ListPosition,
  type ListQuery,
  type MailReading,
  type MessagePage,
  type MissingMail,
  type RawMessage,
  type RefusedFolder,
  SENT_COPIES_MAX,
  SENT_COPY_FIELDS,
  type SearchPosition,
  type SearchQuery,
  THREAD_MAX,
} from './ports/mail-reading.ts';
export type { MailSending, Outgoing } from './ports/mail-sending.ts';
export type { InboxVisit, MailWatching, OpenInbox, WatchEnd } from './ports/mail-watching.ts';
export { type Notice, type NoticeEnd, type NoticeSender, noticeText } from './ports/notice-sender.ts';
export { NOTICE_KINDS, type NoticeKind, type NoticeTarget } from './ports/notice-target.ts';
export type { Mail, Ports } from './ports/ports.ts';
export type { Reader, Reading, ReadingFor, UnreadableReason } from './ports/reader.ts';
export type { Storage } from './ports/storage.ts';
export type { Summarizer, Summary, SummarySource } from './ports/summarizer.ts';
export type { WebhookEnd, WebhookRequest, WebhookSender } from './ports/webhook-sender.ts';
export type { WorkObserver } from './ports/work-observer.ts';
export type { NewRead, StoredRead, StoredSources } from './provenance/read-state.ts';
export type { ReadStorage } from './provenance/read-storage.ts';
export type { JobInput, JobName, JobOutput } from './reading/jobs.ts';
export { type DomainName, domainNames } from './safety/domain-keys.ts';
export { domainOf } from './safety/domain-of.ts';
export type { Keyring, Signer } from './secrets/keyring.ts';
export type { Random } from './secrets/random.ts';
export { passkeyHandle } from './secrets/webauthn.ts';
export type { EraseBefore } from './state/erase-before.ts';
export type {
  DueSummary,
  LinkContent,
  LinkedMessage,
  Tracker,
  TrackerLink,
  TrackerStatus,
  TrackerStorage,
  TrackerSummary,
  WaitingTracker,
} from './trackers/tracker-storage.ts';
export {
  INBOX_READERS,
  type InboxPosition,
  type InboxReader,
  type RecentMessage,
} from './watching/inbox-state.ts';
export type {
  InboxLink,
  InboxStep,
  InboxStorage,
  InboxToWatch,
  ReceivedMessage,
} from './watching/inbox-storage.ts';
export type { LeasedInbox, LeaseStorage } from './watching/lease-storage.ts';

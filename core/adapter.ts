/** The exports for authors of adapters (the ports, and what goes over them), and for a door of your own. */

export { plainDocuments, plainEvent } from './accounts/plain-documents.ts';
export type {
  Activity,
  ActivityFilter,
  ActivityPlace,
  ActivityRecord,
  ListedActivity,
} from './activity/activity.ts';
export { ACTIVITY_KINDS } from './activity/activity.ts';
export {
  APPROVAL_ERRORS,
  APPROVAL_STATES,
  type Approval,
  type ApprovalError,
  type ApprovalState,
  type Authorization,
  type Edit,
  type FiledApproval,
  type FollowUpError,
  REJECTION_REASONS,
  type Rejection,
  type RejectionReason,
  type RetryCause,
} from './approvals/approval.ts';
export type { Relocated } from './approvals/run-storage.ts';
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
export type { UnusableReason } from './calendar/why-unusable.ts';
export { ERRORS, type ErrorCode, type ErrorDetails, ServiceError } from './contract/errors.ts';
export type { OptionType } from './contract/options.ts';
export { checkOptions, type OptionTypes } from './contract/options.ts';
export { DELIVERY_STATES, type DeliveryState } from './events/delivery.ts';
export type { DeliveryRecord } from './events/delivery-storage.ts';
export { DISABLED_REASONS, type DisabledReason } from './events/endpoint-health.ts';
export type { StoredEvent } from './events/event-storage.ts';
export type { EventContent, SubscribedType } from './events/webhook-event.ts';
export type { AttemptLog } from './events/webhook-state.ts';
export type { FolderRole, MailFolder } from './folders/folder.ts';
export type { FolderRoles, PinnedRole } from './folders/roles.ts';
export type { Admission, CallerRequest, Calls, OverAdmission } from './gate/calls.ts';
export type { Answer, ToolCall } from './gate/tool-call.ts';
export type { Caller } from './keys/call-storage.ts';
export type { Fences, Reach } from './keys/fences.ts';
export type { Grant } from './keys/grant.ts';
export type { CredentialUse } from './keys/key-storage.ts';
export type { LimitOverrides, Limits, Rate, Window as MinuteWindow } from './keys/limits.ts';
export type { Credential } from './keys/live-key.ts';
export { GROUPS, type Group, type Mode, type Modes, type Plan } from './keys/permissions.ts';
export type { Registration } from './keys/sign-in/client.ts';
export type { OAuthError, Refusal } from './keys/sign-in/refusal.ts';
export type { SignInRequest } from './keys/sign-in/request.ts';
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
export type { NoticeSettings, QuietHours } from './notices/notice-rule.ts';
export { ACCESS_CHANGES, type AccessChange, type AccessChanges } from './owners/access-change.ts';
export type { FailedTries } from './owners/backoff.ts';
export { PROOF_LEVELS, type ProofLevel } from './owners/owner-proof.ts';
export type { Owner } from './owners/owner-state.ts';
export type { AuthenticatorApp, Passkey, SecondStep } from './owners/second-step.ts';
export type { Session, StoredSession } from './owners/session.ts';
export type { Account, StoredGrant } from './ports/account.ts';
export {
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
  MissingCalendar,
  StoredEvent as StoredCalendarEvent,
  UnusableCalendar,
} from './ports/calendar.ts';
export type {
  CalendarObjects,
  NamedObject,
  ObjectSeen,
  ObjectsInCalendar,
  StoredObject,
  UnlistedCalendar,
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
export type {
  IndexChange,
  IndexedAccount,
  IndexedFolder,
  IndexedMessage,
  IndexedPlace,
  IndexedText,
  IndexHit,
  IndexPage,
  IndexQuery,
  IndexSize,
  MailIndex,
} from './ports/mail-index.ts';
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
  type FolderState,
  type FolderUids,
  folderKey,
  type ListPosition,
  type ListQuery,
  type MailReading,
  type MessagePage,
  type MessageText,
  type MissingMail,
  type RawMessage,
  type RefusedFolder,
  SENT_COPIES_MAX,
  SENT_COPY_FIELDS,
  type SearchedBy,
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
export type { JobInput, JobName, JobOutput } from './reading/jobs.ts';
export { domainOf } from './safety/domain-of.ts';
export type { Random } from './secrets/random.ts';
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

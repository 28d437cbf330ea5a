export type { Approval, ApprovalState } from './approval.ts';
export type { EventChange } from './calendar/event-plan.ts';
export { createService, type ServiceOptions } from './create-service.ts';
export { type ErrorCode, ServiceError } from './errors.ts';
export type { LimitOverrides, Limits } from './limits.ts';
export type { Failure, Outcome, Pending, Success, WireApproval } from './outcome.ts';
export { GROUPS, type Group, type Mode, type Modes, type Plan, PRESETS, type Preset } from './permissions.ts';
export type { ActionPlan, MessageTarget } from './plan.ts';
export type {
  Calendar,
  CalendarEvent,
  CalendarInfo,
  EventKey,
  ObjectPlace,
  StoredEvent as StoredCalendarEvent,
} from './ports/calendar.ts';
export type { Clock, Random } from './ports/clock.ts';
export type { Log, LogFields } from './ports/log.ts';
export * from './ports/mail.ts';
export type { Ports } from './ports/ports.ts';
export type * from './ports/storage.ts';
export type { Summarizer, Summary, SummarySource } from './ports/summarizer.ts';
export type * from './ports/tracker-storage.ts';
export type * from './service.ts';

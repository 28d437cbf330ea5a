import type { Accounts } from '../accounts/accounts.ts';
import type { MailSignIns } from '../accounts/mail-sign-ins.ts';
import type { EventListener } from '../events/event-listener.ts';
import type { SubscribedType } from '../events/webhook-event.ts';
import type { Webhooks } from '../events/webhooks.ts';
import type { Calls } from '../gate/calls.ts';
import type { KeyCalls } from '../gate/key-calls.ts';
import type { Keys } from '../keys/keys.ts';
import type { SignIns } from '../keys/sign-ins.ts';
import type { MailIndexes } from '../mail-index/mail-indexes.ts';
import type { Notices } from '../notices/notices.ts';
import type { Owners } from '../owners/owners.ts';
import type { SecondSteps } from '../owners/second-steps.ts';
import type { Sessions } from '../owners/sessions.ts';
import type { Setup } from '../owners/setup.ts';
import type { ActivityList } from '../requests/activity-list.ts';
import type { Approvals } from '../requests/approvals.ts';
import type { Trackers } from '../trackers/trackers.ts';

/**
 * The interface for the doors, the dashboard and an embedding app.
 * @typeParam Settings  what the adapters read from the `settings` of an account
 */
export interface Service<Settings = unknown> {
  /** Public addresses, without a slash at the end. */
  readonly baseUrl: string;
  readonly dashboardUrl: string;
  /** The host where assistants sign in. Undefined: there is none. */
  readonly mcpUrl: string | undefined;

  readonly calls: Calls;
  readonly owners: Owners & ActivityList;
  readonly setup: Setup;
  readonly sessions: Sessions;
  readonly secondSteps: SecondSteps;
  readonly keys: Keys;
  readonly signIns: SignIns & {
    /** Like `calls`, for access tokens: a key is not accepted. */
    readonly calls: Calls;
  };
  readonly accounts: Accounts<Settings>;
  readonly mailSignIns: MailSignIns;
  readonly approvals: Approvals;
  readonly trackers: Trackers;
  readonly mailIndexes: MailIndexes;
  readonly webhooks: Webhooks;
  readonly notices: Notices;

  /**
   * `approval.pending`: something waits for the owner. Ids only. If a listener fails, at once or later, that
   * is logged and changes nothing. @returns a function that removes the listener
   */
  on(...args: OnArguments<'approval.pending'>): () => void;
  /**
   * Calls the listener with the stored events of one type, of all owners, from any process, after `start`. An owner's
   * events come in order. The listener gets one event at a time, the next one once its promise has resolved. If it
   * fails, that is logged, and it gets the same event again: after 1 s, then twice as late each time, up to 5 min.
   * Other listeners do not wait for it. Events are erased after 30 days.
   * @param options  `after`: the cursor of the last event that was handled; events after it come at least once.
   *   Default: events that are stored from now on
   * @returns once the listener is registered, a function that removes it
   * @throws EventCursorError, and `temporarily_unavailable` if the store cannot be reached
   */
  on<Type extends SubscribedType>(...args: OnArguments<Type>): Promise<() => void>;

  /**
   * Calls tools in the name of a key, from the app's own code and without the key's secret. Permissions, limits, slots,
   * holds, approvals and activity are those of a call through a door.
   */
  as(key: { ownerId: string; keyId: string }): KeyCalls;

  /** Resolves when storage answers. */
  healthy(): Promise<void>;
  /** One round of background work: expiry, recovery, follow-ups, checkpoints of the activity, erasing. */
  recover(): Promise<void>;
  /** Checks once for new mail in every inbox that is waited for, and writes the summaries of trackers that got some. */
  watch(): Promise<void>;
  /** Recovers and watches now and then every few seconds, until `stop`. @throws ServiceStoppedError */
  start(): void;
  /**
   * Accepts no more calls, waits for running calls, sends and background work, then closes mail and storage. After that,
   * every call that needs the storage rejects with ServiceStoppedError, the doors answer 503, and nothing of the service
   * keeps the process alive. A send that has started and is not settled in time is settled by the next process: as
   * `executed` if the message is in Sent, else as `outcome_unknown`. A second `stop` returns the promise of the first.
   * @param withinMs  how long it waits for running work. Default: 30 s
   */
  stop(withinMs?: number): Promise<void>;
  /** Stops the service at the end of `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What `on` takes for an event. */
export type OnArguments<Name extends 'approval.pending' | SubscribedType> = Name extends SubscribedType
  ? [event: Name, listener: EventListener<Name>, options?: { readonly after?: string | undefined }]
  : [event: Name, listener: PendingListener];

export type PendingListener = (notice: { ownerId: string; approvalId: string }) => unknown;

import type { ActionFacts } from '../actions/action.ts';
import type { Gist } from '../actions/gist.ts';
import type { ActingAccount } from '../actions/message-target.ts';
import type { Approval, RejectionReason } from '../approvals/approval.ts';
import type { Failure, Outcome } from '../call/outcome.ts';
import type { ErrorCode } from '../contract/errors.ts';
import type { DisabledReason } from '../events/endpoint-health.ts';
import type { SubscribedType } from '../events/webhook-event.ts';
import type { OwnerWords } from '../execution/sealed-words.ts';
import type { MailFolder } from '../folders/folder.ts';
import type { FolderRoles, PinnedRole } from '../folders/roles.ts';
import type { AccessChanges } from '../gate/access-change.ts';
import type { Fences } from '../gate/fences.ts';
import type { LimitOverrides, Rate } from '../gate/limits.ts';
import type { Group, Modes, Plan, Preset } from '../gate/permissions.ts';
import type { Session, StoredSession } from '../gate/session.ts';
import type { stepUp } from '../gate/step-up.ts';
import type { NoticeSettings } from '../notices/notice-rule.ts';
import type { NoticeKind } from '../notices/notice-target.ts';
import type { Draft } from '../plans/edit-diff.ts';
import type { Account } from '../ports/account.ts';
import type { LegHealth } from '../ports/account-health.ts';
import type { ActivityFilter, ActivityPlace, ListedActivity } from '../ports/activity.ts';
import type { CalendarInfo } from '../ports/calendar.ts';
import type { Caller } from '../ports/call-storage.ts';
import type { Credential, CredentialUse } from '../ports/credential-storage.ts';
import type { Owner } from '../ports/owner-storage.ts';
import type { StoredEvent } from '../ports/stored-event.ts';
import type {
  Tracker,
  TrackerFields,
  TrackerLink,
  TrackerStatus,
  TrackerStorage,
} from '../ports/tracker-storage.ts';
import type { DeliveryRecord } from '../ports/webhook-storage.ts';
import type { ReadLine } from '../provenance/read-lines.ts';
import type { Finding, NamedFinding } from '../safety/finding.ts';
import type { Sentence } from '../safety/finding-text.ts';
import type { PasskeyPlace } from '../secrets/webauthn.ts';
import type { Registration } from '../sign-in/client.ts';
import type { Refusal } from '../sign-in/refusal.ts';
import type { SignInRequest } from '../sign-in/request.ts';
import type { ToolArguments, ToolName, ToolOutcome } from '../tools/catalogue.ts';
import type { ToolListing } from '../tools/define-tool.ts';
import type { TrackerLinks } from './linkable.ts';
import type { MailSignIns } from './mail-sign-ins.ts';
import type { SecondSteps } from './second-steps.ts';
import type { Setup } from './setup.ts';

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
  readonly owners: Owners;
  readonly setup: Setup;
  readonly sessions: Sessions;
  readonly secondSteps: SecondSteps;
  readonly keys: Keys;
  readonly signIns: SignIns;
  readonly accounts: Accounts<Settings>;
  readonly mailSignIns: MailSignIns;
  readonly approvals: Approvals;
  readonly trackers: Trackers;
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
  on(...args: OnArguments<'approval.decided'>): Promise<() => void>;
  on(...args: OnArguments<'message.received'>): Promise<() => void>;

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
   * Accepts no more calls, waits for running calls and background work, then closes mail and storage. After that, every
   * call that needs the storage rejects with ServiceStoppedError, and the doors answer 503. A second `stop` returns the
   * promise of the first.
   * @param withinMs  how long it waits for running work. Default: 8 s
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
export type EventListener<Type extends SubscribedType> = (event: ListenerEvent<Type>) => unknown;

/** A stored event, as listeners get it. */
export type ListenerEvent<Type extends SubscribedType> = Extract<StoredEvent, { readonly type: Type }> & {
  readonly ownerId: string;
  /** Opaque, at most 40 characters. Save it once the event is handled. */
  readonly cursor: string;
};

export interface KeyCalls {
  /**
   * Runs one tool. Never throws for a reason of the call: an error is an outcome with `status` `error`. An unknown,
   * revoked or expired key is `invalid_token`, a stopped service `temporarily_unavailable`.
   */
  call<Name extends ToolName>(
    tool: Name,
    args: ToolArguments<Name>,
    options?: CallOptions,
  ): Promise<ToolOutcome<Name>>;
  /**
   * Lists the tools that the key may call now, for a model. Counts as a call. `countersign/ai` turns them into the tools of
   * the AI SDK or of LangChain.
   * @throws ServiceError `invalid_token` for an unknown, revoked or expired key, `rate_limited`, `daily_limit_reached`,
   *   `busy` or `temporarily_unavailable`
   */
  tools(): Promise<readonly KeyTool[]>;
}

export interface CallOptions {
  /** 1 to 255 visible ASCII characters. A repeated call with the same key returns the first outcome. */
  readonly idempotencyKey?: string | undefined;
  /** Ends a wait (`wait_s`). Other work runs to its end. */
  readonly signal?: AbortSignal | undefined;
  /** Called during a wait, at once and every few seconds. */
  readonly onWaiting?: ((waitedS: number, waitS: number) => void) | undefined;
}

/** A tool that a key may call. */
export interface KeyTool extends ToolListing {
  /** The same as `KeyCalls.call`, for arguments that nobody has checked yet. */
  call(args: unknown, options?: CallOptions): Promise<Outcome>;
}

export interface Calls {
  /**
   * The first step of every call: finds the key and checks whether it may call now. Counts the call and takes
   * a slot. Every admitted call must end with `runTool` or `endCall`.
   * @param request  `token`: the text after `Bearer `, undefined without one;
   *   `address`: the caller's, for the budget of callers without a key
   */
  admitCaller(request: { token: string | undefined; address: string }): Promise<Admission>;
  /** Runs one tool and ends the call. Never throws: an error becomes a Failure. */
  runTool(caller: Caller, call: ToolCall): Promise<Answer>;
  /** Ends an admitted call that runs no tool: refused by the door (a code), or answered by it (`ok`). */
  endCall(caller: Caller, outcome: 'ok' | ErrorCode): Promise<void>;
  /** The tools that this caller may use, as GET /v1/tools and MCP list them: one array for each set of permissions. */
  tools(caller: Caller): readonly ToolListing[];
  /**
   * Ends the calls that wait for an approval (`wait_s`) with its current state, and the connections of open pages. Lets
   * no more wait. Call it before you stop your server; `stop` does it too.
   */
  endWaits(): Promise<void>;
}

export type Admission =
  | { readonly kind: 'refused'; readonly failure: Failure; readonly rate: Rate }
  | { readonly kind: 'over'; readonly failure: Failure; readonly retryAfterS: number; readonly rate: Rate }
  | { readonly kind: 'admitted'; readonly caller: Caller; readonly rate: Rate };

export interface ToolCall {
  readonly tool: string;
  readonly args: unknown;
  readonly idempotencyKey: string | undefined;
  /** Bytes of the answer as this door will write it. An answer is cut until it fits. */
  readonly sizeBytes: (outcome: Outcome) => number;
  /** Aborted when the caller has disconnected. It ends a wait (`wait_s`); other work runs to its end. */
  readonly gone?: AbortSignal | undefined;
  /** Called while the call waits (`wait_s`): at once, and then every few seconds. */
  readonly onWaiting?: ((waitedS: number, waitS: number) => void) | undefined;
}

export interface Answer {
  readonly outcome: Outcome;
  /** True if this is the stored answer of an earlier call with the same Idempotency-Key. */
  readonly replayed: boolean;
}

export interface Owners {
  /**
   * @param owner  `ownerId`: default random; `timezone`: default UTC; `plan` and `limits`: default those of the service
   * @throws ServiceError invalid_arguments, which names the field that is malformed or taken (`ownerId`, `email`)
   */
  create(owner: OwnerFields & { ownerId?: string; email: string }): Promise<{ ownerId: string }>;
  /** Undefined: there is none. */
  byId(ownerId: string): Promise<Owner | undefined>;
  /** Finds an owner by email, in any case. Undefined: there is none. */
  byEmail(email: string): Promise<Owner | undefined>;
  /** A page of all owners in the order of their ids, behind the id `after`. */
  list(page: {
    after?: string;
    limit: number;
  }): Promise<{ readonly owners: readonly Owner[]; readonly more: boolean }>;
  /**
   * Changes what is given, all of it or nothing. `limits` replaces all single limits. A `password` ends all sessions.
   * @throws ServiceError not_found, invalid_arguments as `create`
   */
  update(ownerId: string, changes: OwnerFields): Promise<void>;
  /**
   * Removes the owner with everything that is stored: accounts, keys, sign-ins, sessions, requests, trackers, webhook
   * endpoints, events and activity. Calls that run meanwhile find nothing more, and what was approved and has not
   * started does not happen.
   * @throws ServiceError not_found; busy while an action of the owner is under way: try again when it has ended
   */
  remove(ownerId: string): Promise<void>;
  /**
   * Sets the password and ends all sessions of the owner. @throws ServiceError not_found, invalid_arguments
   * (10 to 1000 characters)
   */
  setPassword(ownerId: string, password: string): Promise<void>;
  /** What happened to the owner's own access and is not confirmed. @throws ServiceError not_found */
  accessChanges(ownerId: string): Promise<AccessChanges>;
  /** Says that the owner knows of the changes up to that instant. */
  confirmAccessChanges(ownerId: string, until: Date): Promise<void>;
  /** Newest first. */
  activity(
    ownerId: string,
    query: ActivityQuery,
  ): Promise<{ readonly entries: readonly ActivityEntry[]; readonly more: boolean }>;
  /** Events after the sequence number `after`, oldest first. */
  events(ownerId: string, after: number, limit: number): Promise<readonly StoredEvent[]>;
}

export interface ActivityQuery extends ActivityFilter {
  /** Rows before this instant. */
  readonly until?: Date;
  /** The last row of the page before. It wins over `until`. */
  readonly before?: ActivityPlace | undefined;
  readonly limit: number;
}

/** A row of the activity. */
export interface ActivityEntry extends Omit<ListedActivity, 'request'> {
  /** The request that the row is about, as it is now. Null: none. */
  readonly request:
    | (Omit<NonNullable<ListedActivity['request']>, 'sealedGist'> & { readonly gist: ApprovalGist })
    | null;
  /** What a read of the last 24 hours showed, as far as it is known, in the order of `shown`. */
  readonly sources: readonly ShownSource[];
}

/** A message or tracker that a call showed. Strangers wrote most of the titles. */
export interface ShownSource {
  /** As in `shown`. */
  readonly id: string;
  readonly title: string;
  /** An address. Empty: it is not known. */
  readonly author: string;
}

/** What an app may set of an owner. */
export interface OwnerFields {
  email?: string;
  /** IANA name. */
  timezone?: string;
  /** How the dashboard writes dates: a language tag such as `de-DE`. Default of a new owner: `en-GB`. */
  language?: string;
  /** Days after its end until what a request was about is erased: 7 to 365. Default of a new owner: 30. */
  plansKeptDays?: number;
  plan?: Plan;
  /** Single limits that differ from those of the plan. */
  limits?: LimitOverrides;
  /** For the dashboard: 10 to 1000 characters. */
  password?: string;
}

/** A new session. */
export interface SignedIn {
  readonly kind: 'signed_in';
  /** The value of the session cookie. */
  readonly session: string;
  /** The value of the device cookie. */
  readonly device: string;
  /** How long the session lasts, in seconds. */
  readonly lastsS: number;
}

/** What a browser sends of a passkey that it used. */
export interface PasskeyAnswer {
  readonly answer: string;
  readonly place: PasskeyPlace;
  readonly binding: string;
  /** The caller's network address. */
  readonly address: string;
  /** The value of the device cookie, undefined without one. */
  readonly device: string | undefined;
}

/** The password is right. `finishSignIn` starts the session. */
export interface SecondStepNeeded {
  readonly kind: 'second_step';
  /** Sealed. It opens nothing by itself. */
  readonly ticket: string;
}

/** The sign-ins on the dashboard. */
export interface Sessions {
  /**
   * Checks email and password as `CheckPassword` does, and starts a session.
   * @param request  `address`: the caller's; `device`: the value of its device cookie, undefined without one;
   *   `browser`: a short description for the owner; `proofKey`: the public half of the browser's key, which the session
   *   stores unchanged; null without one
   * @returns undefined if email and password do not match
   * @throws ServiceError rate_limited or busy, with details.retry_after_s
   */
  signIn(request: {
    email: string;
    password: string;
    address: string;
    device: string | undefined;
    browser: string;
    proofKey: string | null;
  }): Promise<SignedIn | SecondStepNeeded | undefined>;
  /**
   * Ends a sign-in that needs a second step, and starts the session. Every code counts once.
   * @param request  `ticket`: of `signIn`, valid for ten minutes; `code`: of the authenticator app, or a recovery code;
   *   the others as for `signIn`
   * @returns `over`: the owner has to sign in again from the start
   * @throws ServiceError rate_limited, with details.retry_after_s
   */
  finishSignIn(request: {
    ticket: string;
    code: string;
    address: string;
    device: string | undefined;
    browser: string;
    proofKey: string | null;
  }): Promise<SignedIn | 'wrong_code' | 'over'>;
  /**
   * Signs in with a passkey alone: it verified its user.
   * @param request  `answer`: what the browser's passkey signed, as the page's script sends it; `binding`: the one of
   *   `SecondSteps.challenge`; the others as for `signIn`
   * @returns undefined if it proves nothing, or is nobody's
   * @throws ServiceError rate_limited, with details.retry_after_s
   */
  signInWithPasskey(
    request: PasskeyAnswer & { browser: string; proofKey: string | null },
  ): Promise<SignedIn | undefined>;
  /** Finds a session by its token. Undefined: there is none, or it has expired (after 14 days). */
  find(token: string): Promise<{ readonly owner: Owner; readonly session: StoredSession } | undefined>;
  /**
   * Confirms with the password that the person is the owner. Tries share their limit with those of `signIn`.
   * @param request  `code`: of the second step, if the owner has one; `proofKey`: replaces the session's; null leaves it unchanged
   * @returns the updated session and the value of the device cookie; `ended` if the session has ended
   * meanwhile
   * @throws ServiceError rate_limited or busy, with details.retry_after_s
   */
  confirm(request: {
    session: StoredSession;
    password: string;
    code: string | null;
    address: string;
    device: string | undefined;
    proofKey: string | null;
  }): Promise<
    { readonly session: StoredSession; readonly device: string } | 'wrong_password' | 'wrong_code' | 'ended'
  >;
  /**
   * The same with a passkey instead of the password and the code.
   * @throws ServiceError rate_limited, with details.retry_after_s
   */
  confirmWithPasskey(
    request: PasskeyAnswer & { session: StoredSession; proofKey: string | null },
  ): Promise<{ readonly session: StoredSession; readonly device: string } | 'wrong_passkey' | 'ended'>;
  /** Whether a request of this session may go ahead now: `stepUp` on the service's clock. */
  stepUp(facts: Omit<Parameters<typeof stepUp>[0], 'now'>): ReturnType<typeof stepUp>;
  /**
   * Uses up the nonce of a signed form. False: it was used before in this session, or the session has ended.
   */
  takeProof(session: Session, nonce: string): Promise<boolean>;
  /** Returns the token for the forms of a session of the app. Every process with the same secret keys accepts it. */
  formToken(session: Pick<Session, 'id' | 'ownerId'>): string;
  /** Whether `formToken` returned this token for the same session. */
  isFormToken(session: Pick<Session, 'id' | 'ownerId'>, token: string | null): boolean;
  /** Sessions that have not ended, the last used first; at most 100. */
  list(ownerId: string): Promise<readonly StoredSession[]>;
  /** Ends a session at once, in every process. False: there is none with this id. */
  end(ownerId: string, sessionId: string): Promise<boolean>;
  /** Ends all sessions of the owner except this one. @returns how many */
  endOthers(session: Session): Promise<number>;
}

export interface Keys {
  /**
   * @param key  `days`: 1 to 180, default 90; `modes`: changes to the preset; `requestId`: the same one creates only one
   *   key, default: none
   * @returns the key, which is shown only this once
   * @throws ServiceError not_found (the owner), invalid_arguments, also for a `requestId` that has created a key before
   */
  create(key: {
    ownerId: string;
    name: string;
    preset: Preset;
    modes?: Partial<Modes>;
    fences?: FencesRequest;
    days?: number;
    requestId?: string | undefined;
  }): Promise<{ keyId: string; apiKey: string }>;
  /** Newest first, including revoked ones. */
  list(ownerId: string): Promise<readonly Credential[]>;
  /** The last call and the waiting requests of each key and sign-in that is not revoked, by its id. */
  use(ownerId: string): Promise<ReadonlyMap<string, CredentialUse>>;
  /**
   * Creates a new key for 90 days; the old one works for 24 more hours.
   * @param seenExpiresAt  when the key expired as the owner saw it. Default: any
   * @throws ServiceError not_found, also if the key expires at another time by now
   */
  rotate(ownerId: string, keyId: string, seenExpiresAt?: Date): Promise<{ apiKey: string }>;
  /** @throws ServiceError not_found */
  revoke(ownerId: string, keyId: string): Promise<void>;
  /** @throws ServiceError not_found, invalid_arguments (a mode that does not apply to the group) */
  setModes(ownerId: string, keyId: string, modes: Partial<Modes>): Promise<void>;
  /**
   * Until `resume`, the key may only describe itself, and read and withdraw its own requests. Waiting requests keep
   * waiting: what the owner approves from now on runs, what was approved before and has not started does not.
   * @throws ServiceError not_found
   */
  pause(ownerId: string, keyId: string): Promise<void>;
  /** @throws ServiceError not_found */
  resume(ownerId: string, keyId: string): Promise<void>;
  /**
   * Replaces the fences of the key. They also apply to requests that wait.
   * @throws ServiceError not_found (the key or an account), invalid_arguments
   */
  setFences(ownerId: string, keyId: string, fences: FencesRequest): Promise<void>;
  /** Revokes the live key, or the sign-in with the access token, that was found in a URL. */
  revokeLeaked(secret: string): Promise<void>;
}

/**
 * The sign-ins of assistants: OAuth 2.1 with PKCE, for public clients. A sign-in is a credential of kind `oauth`; `Keys`
 * lists, changes and revokes it like a key.
 */
export interface SignIns {
  /** Whether a client may publish its document instead of registering. False without the port `documentSource`. */
  readonly fetchesDocuments: boolean;
  /** Like `Service.calls`, for access tokens: a key is not accepted. */
  readonly calls: Calls;
  /**
   * Issues an id for a client. Stores nothing.
   * @param metadata  the client's JSON
   */
  register(metadata: unknown): Registration | Refusal;
  /**
   * Checks an authorization request. Fetches the client's document if its id is a URL.
   * @param issuer  the address of the authorization server, as the client knows it
   * @returns `page`: the path of the owner's page on the dashboard
   */
  authorize(
    parameters: URLSearchParams,
    issuer: string,
  ): Promise<{ readonly kind: 'page'; readonly page: string } | Refusal>;
  /** Returns the request of the owner's page. Undefined: it was not checked here, or too long ago. */
  find(request: string): SignInRequest | undefined;
  /**
   * Lets the client in as the owner chose.
   * @param consent  `days`: 1 to 180; `modes`: changes to the preset; `accounts`: the only ones that it may use; default: all
   * @returns the address to which the owner's browser goes; undefined if there is no such request, as for `find`
   * @throws ServiceError not_found (the owner), invalid_arguments
   */
  allow(consent: {
    ownerId: string;
    request: string;
    preset: Preset;
    modes?: Partial<Modes>;
    accounts?: readonly number[] | null;
    days: number;
  }): Promise<{ readonly goTo: string } | undefined>;
  /** Returns the address to which the owner's browser goes. Undefined: as for `find`. */
  deny(request: string): { readonly goTo: string } | undefined;
  /** Redeems a code or a refresh token. @param issuer as above */
  issueTokens(parameters: URLSearchParams, issuer: string): Promise<IssuedTokens | Refusal>;
  /** Revokes the sign-in with this access token or refresh token. Does nothing if there is none. */
  revoke(token: string): Promise<void>;
}

export interface IssuedTokens {
  readonly kind: 'issued';
  readonly accessToken: string;
  /** Until the access token ends. */
  readonly expiresInS: number;
  readonly refreshToken: string;
  /** The groups that are on. */
  readonly scope: readonly Group[];
}

/**
 * Fences as an owner enters them. A missing one, or null, is no fence. `recipients`: addresses, or domains, which do not
 * include their subdomains. `until` is in the future.
 */
export type FencesRequest = Partial<Fences>;

/** The endpoints that receive the events of the owner's keys. */
export interface Webhooks {
  /** False without the port `webhookSender`. No endpoint can be added then. */
  readonly canSend: boolean;
  /**
   * @returns the endpoint's secret, shown this once
   * @throws ServiceError not_found (the key), invalid_arguments (`url`, or the plan allows no more endpoints)
   */
  add(endpoint: {
    ownerId: string;
    keyId: string;
    url: string;
    /** Default: all that endpoints can be told of. */
    types?: readonly SubscribedType[];
  }): Promise<{ endpointId: string; secret: string }>;
  /** Oldest first. */
  list(ownerId: string): Promise<readonly WebhookEndpoint[]>;
  /** Forgets its deliveries too. @throws ServiceError not_found */
  remove(ownerId: string, endpointId: string): Promise<void>;
  /** For 24 hours requests are signed with both secrets. @throws ServiceError not_found */
  rotateSecret(ownerId: string, endpointId: string): Promise<{ secret: string }>;
  /** Switches an endpoint on again that was disabled. @throws ServiceError not_found */
  enable(ownerId: string, endpointId: string): Promise<void>;
  /** Sends a `webhook.test`. @throws ServiceError not_found (or it is disabled) */
  sendTest(ownerId: string, endpointId: string): Promise<void>;
  /** Newest first. @param page `before`: only deliveries of events with a smaller sequence number */
  deliveries(
    ownerId: string,
    endpointId: string,
    page: { before?: number; limit: number },
  ): Promise<{ readonly deliveries: readonly DeliveryRecord[]; readonly more: boolean }>;
  /** Sends the event of an ended delivery again. @throws ServiceError not_found */
  redeliver(ownerId: string, endpointId: string, sequence: number): Promise<void>;
}

/** Notices to the owner that something waits. They say how much, never what. */
export interface Notices {
  /** The kinds of channels that can be added. Empty without the port `noticeSender`. */
  readonly kinds: readonly NoticeKind[];
  /** The public key that a browser subscribes with: a point on P-256, in base64url. */
  pushKey(ownerId: string): string;
  /** @throws ServiceError not_found */
  settings(ownerId: string): Promise<NoticeSettings>;
  /** @throws ServiceError not_found, invalid_arguments */
  setSettings(ownerId: string, settings: NoticeSettings): Promise<void>;
  /** Oldest first. */
  list(ownerId: string): Promise<readonly NoticeChannelView[]>;
  /**
   * Adds a channel. An address of mail gets a code, and is used once `confirm` has it. A browser that is added again
   * replaces its channel.
   * @returns `secret` signs the requests of a webhook, and is shown this once. `not_sent`: the code could not be sent,
   *   and no channel was added
   * @throws ServiceError not_found (the owner), invalid_arguments (a field, a connected account, or too many)
   */
  add(
    ownerId: string,
    channel: NewNoticeChannel,
  ): Promise<
    | { readonly kind: 'added'; readonly channelId: string; readonly secret: string | null }
    | { readonly kind: 'not_sent'; readonly reason: string }
  >;
  /** `ended`: the channel has no code, its time is over, or this was the last try. It has to be added again. */
  confirm(ownerId: string, channelId: string, code: string): Promise<'confirmed' | 'wrong' | 'ended'>;
  /** @throws ServiceError not_found */
  remove(ownerId: string, channelId: string): Promise<void>;
  /** Sends a notice now. @throws ServiceError not_found (or it is not confirmed) */
  sendTest(
    ownerId: string,
    channelId: string,
  ): Promise<{ readonly kind: 'sent' } | { readonly kind: 'not_sent'; readonly reason: string }>;
  /** The owner has opened a page that shows what waits: no notice comes for it. */
  looked(ownerId: string): Promise<void>;
}

export type NewNoticeChannel =
  /** A subscription of a browser. `browser`: its name, for the owner. */
  | {
      readonly kind: 'push';
      readonly browser: string;
      readonly endpoint: string;
      readonly p256dh: string;
      readonly auth: string;
    }
  | {
      readonly kind: 'ntfy';
      readonly server: string;
      readonly topic: string;
      readonly token: string | null;
    }
  | { readonly kind: 'webhook'; readonly url: string }
  | { readonly kind: 'mail'; readonly address: string };

export interface NoticeChannelView {
  readonly channelId: string;
  readonly kind: NoticeKind;
  /** The browser, the topic, the URL or the address. Empty if it cannot be read. */
  readonly name: string;
  /** Of a push channel. */
  readonly endpoint: string | null;
  readonly isConfirmed: boolean;
  /** Since when every notice has failed; null if the last one did not. */
  readonly failingSince: Date | null;
  /** Why the last one failed, in a sentence. */
  readonly problem: string | null;
  readonly createdAt: Date;
}

export interface WebhookEndpoint {
  /** `wh_` and its number. */
  readonly endpointId: string;
  readonly keyId: string;
  readonly url: string;
  readonly types: readonly SubscribedType[];
  readonly createdAt: Date;
  /** Until when the secret before a rotation signs as well; null if none does. */
  readonly overlapUntil: Date | null;
  /** Since when every attempt has failed; null if the last one did not. */
  readonly failingSince: Date | null;
  /** Why it is off; null if it is on. */
  readonly disabled: DisabledReason | null;
}

/** @typeParam Settings  as of Service */
export interface Accounts<Settings = unknown> {
  /**
   * Connects and signs in first, also to the calendar server if the settings name one, and then saves the
   * account. `settings` are the adapters'; the default `label` is the email.
   * @throws MailError, and ServiceError not_found (the owner), invalid_arguments; also if the address is connected already
   */
  connect(account: {
    ownerId: string;
    email: string;
    label?: string;
    /** The name in the From of what the account sends. Default: none. */
    displayName?: string;
    signature?: string;
    settings: Settings;
  }): Promise<{ accountId: number }>;
  /**
   * The settings that the account was connected with, for a form that changes them. They contain its passwords: never
   * show those. @throws ServiceError not_found; Error if they cannot be read with the secret key of now
   */
  settings(ownerId: string, accountId: number): Promise<unknown>;
  /**
   * Connects and signs in with the new settings first, and then saves them. The account keeps its id and everything else,
   * and its requests go on. Nothing is saved if a server refuses.
   * @throws MailError, and ServiceError not_found
   */
  changeSettings(change: { ownerId: string; accountId: number; settings: Settings }): Promise<void>;
  /** A change of name or signature applies to new requests. @throws ServiceError not_found, invalid_arguments */
  edit(change: {
    ownerId: string;
    accountId: number;
    label: string;
    displayName: string;
    signature: string;
  }): Promise<void>;
  /** Signs in to each server of the account now, and records how it is doing. @throws ServiceError not_found */
  check(ownerId: string, accountId: number): Promise<void>;
  /**
   * Lists the calendars that the settings lead to, for the owner to choose one. Saves nothing.
   * @throws MailError, and ServiceError not_found (the owner)
   */
  calendars(account: {
    ownerId: string;
    email: string;
    settings: Settings;
  }): Promise<readonly CalendarInfo[]>;
  /**
   * Lists the calendars of a connected account. `target`: the one that new events are put into; undefined if there is none,
   * or the chosen one no longer exists. @throws MailError; ServiceError not_found
   */
  calendarsOf(
    ownerId: string,
    accountId: number,
  ): Promise<{ readonly calendars: readonly CalendarInfo[]; readonly target: CalendarInfo | undefined }>;
  list(ownerId: string): Promise<readonly Account[]>;
  /** How the servers of the owner's accounts are doing. A server that was never used is left out. */
  health(ownerId: string): Promise<readonly LegHealth[]>;
  /** @throws ServiceError not_found */
  activate(ownerId: string, accountId: number): Promise<void>;
  /** Removes the account and cancels its pending approvals. @throws ServiceError not_found */
  remove(ownerId: string, accountId: number): Promise<void>;
  /** Returns the folders with their roles, for the owner's page. @throws ServiceError not_found */
  folders(ownerId: string, accountId: number): Promise<AccountFolders>;
  /**
   * Pins roles as the owner chooses; the others stay unchanged.
   * @throws ServiceError not_found; invalid_arguments if a folder does not exist, is the inbox, or has
   * another role; MailError if the folders cannot be listed
   */
  chooseFolders(ownerId: string, accountId: number, choices: FolderChoices): Promise<void>;
}

export interface AccountFolders {
  readonly account: Account;
  /** Null: not decided yet, because the server could not be reached. */
  readonly roles: FolderRoles | null;
  /** Undefined: the server could not list them. */
  readonly folders: readonly MailFolder[] | undefined;
}

/** `made`: Countersign creates a folder when it needs one. `none`: the role has no folder. */
export type FolderChoice = { readonly path: string } | 'made' | 'none';
export type FolderChoices = Readonly<Partial<Record<PinnedRole, FolderChoice>>>;

/** For the owner's page. */
export interface Trackers extends TrackerLinks {
  /** Newest first, after the tracker with the number `before`. `active`: open and waiting. */
  list(
    ownerId: string,
    query: { state: 'active' | 'resolved'; before?: number; limit: number },
  ): ReturnType<TrackerStorage['trackers']>;
  /**
   * Returns a tracker with a page of its links, newest first, starting at the link with the number `upTo`.
   * Undefined: there is none.
   */
  show(
    ownerId: string,
    trackerId: number,
    query: { upTo?: number; limit: number },
  ): ReturnType<TrackerStorage['tracker']>;
  /**
   * Opens a tracker. @param tracker `requestId`: the same one opens only one tracker
   * @throws ServiceError invalid_arguments
   */
  create(tracker: TrackerFields & { ownerId: string; requestId: string }): Promise<Tracker>;
  /**
   * Changes the fields that were seen as `was`. @returns whether they are now as in `fields`; false: somebody else
   * changed them meanwhile, and nothing was done. @throws ServiceError not_found, invalid_arguments
   */
  edit(change: {
    ownerId: string;
    trackerId: number;
    was: TrackerFields;
    fields: TrackerFields;
  }): Promise<boolean>;
  /** @throws ServiceError not_found */
  setStatus(ownerId: string, trackerId: number, status: TrackerStatus): Promise<void>;
  /** @param note `requestId`: the same one adds only one note. @throws ServiceError not_found, invalid_arguments */
  addNote(note: { ownerId: string; trackerId: number; requestId: string; note: string }): Promise<void>;
  /** Removes a link or a note, as it was seen. @returns whether it was there */
  unlink(
    ownerId: string,
    trackerId: number,
    link: Pick<TrackerLink, 'linkId' | 'createdAt'>,
  ): Promise<boolean>;
}

/** Only for the owner's page: keys and agents have no access. */
export interface Approvals {
  /** Newest first, behind the request `after`. `open`: pending and approved; `ended`: the others. Opens no plan. */
  list(
    ownerId: string,
    query: { state: 'open' | 'ended' | 'all'; after?: { createdAtMs: number; id: string }; limit: number },
  ): Promise<{
    readonly approvals: readonly ApprovalSummary[];
    readonly more: boolean;
    /** The service's clock, for times as seen from now. */
    readonly now: Date;
  }>;
  /** Returns these requests as `list` does, in this order, without those that the owner does not have. */
  summaries(ownerId: string, approvalIds: readonly string[]): Promise<readonly ApprovalSummary[]>;
  /** Undefined: the owner has no such request. */
  show(ownerId: string, approvalId: string): Promise<ApprovalView | undefined>;
  /** Returns these requests as `show` does, in this order, without those that the owner does not have. */
  showAll(ownerId: string, approvalIds: readonly string[]): Promise<readonly ApprovalView[]>;
  /**
   * Approves the plan that the page with this digest showed, and runs it. Waits at most 25 s for the run.
   * `won` is false if the request was no longer pending, had expired, or has another digest.
   */
  approve(
    ownerId: string,
    approvalId: string,
    digest: string,
    options?: {
      /** The owner confirmed the red findings separately. Without it, a request that has one stays pending. */
      readonly isRiskConfirmed: boolean;
    } & DecidedWhere,
  ): Promise<Decided | undefined>;
  /**
   * Approves a waiting send with the owner's changes: plans it anew with the same checks, and runs that plan. `digest` is of
   * the request that the page showed, without the changes. A draft without changes approves the request as it is.
   * If the changes raise a finding that the owner has not seen, nothing is decided, and `preview` says what to show.
   * @throws ServiceError invalid_arguments if the draft is wrong, not_permitted if it is outside the fences of the key,
   *   and others if the request cannot be planned now, such as upstream_mail_error
   */
  approveChanged(
    ownerId: string,
    approvalId: string,
    digest: string,
    draft: Draft,
    options?: {
      readonly isRiskConfirmed: boolean;
      /** `confirms` of the preview that the owner saw and accepts. */
      readonly confirms?: string | undefined;
    } & DecidedWhere,
  ): Promise<DecidedChange | undefined>;
  /**
   * Waits until the request has ended: executed, failed, rejected, expired, cancelled or of unknown outcome. It may end in
   * any process: an end in this one is seen at once, one elsewhere within 2 s.
   * @param options  `signal` ends the wait, which then rejects with its reason
   * @throws ServiceError not_found; ServiceStoppedError if the service stops first
   */
  settled(
    ownerId: string,
    approvalId: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Approval>;
  /**
   * Files a failed request again, planned anew. The new request waits for the owner's approval; that of an equal request
   * is returned instead if there is one. Undefined: the owner has no such request, or it cannot be tried again.
   * @throws ServiceError if it cannot be planned now, or its key may no longer make it
   */
  tryAgain(ownerId: string, approvalId: string): Promise<Approval | undefined>;
  /**
   * Rejects the request. The agent reads the reason and the note. `won` is false if it was no longer pending. Undefined:
   * the owner has no such request.
   * @throws ServiceError invalid_arguments
   */
  reject(ownerId: string, approvalId: string, options?: RejectOptions): Promise<Decided | undefined>;
  /**
   * Decides several requests, each for itself: moves, labels, flags and changes of trackers, without findings other than
   * notes. What is approved runs, and is waited for at most 25 s.
   * @param members at most 50; one that is named again counts once
   * @returns each member's own outcome, in order
   * @throws ServiceError invalid_arguments if there are more
   */
  decideTogether(
    ownerId: string,
    decision: 'approve' | 'reject',
    members: readonly TogetherMember[],
    where?: DecidedWhere,
  ): Promise<readonly DecidedMember[]>;
  /** Returns how many requests wait, and the version of all requests. */
  now(ownerId: string): Promise<RequestsNow>;
  /**
   * Notifies the watcher of the current version and of each later one, whichever process made the change: at once in this
   * process, within half a second otherwise. @returns a function that removes the watcher
   */
  watch(ownerId: string, watcher: RequestWatcher): () => void;
}

/** Where the owner decides. */
export interface DecidedWhere {
  /** The session of the dashboard. Default: the app that embeds Countersign decides for its user. */
  readonly sessionId?: string | undefined;
}

export interface RejectOptions extends DecidedWhere {
  /** Default: `other` if there is a note, otherwise none. */
  readonly reason?: RejectionReason | undefined;
  /** A line for the agent, at most 500 characters. Empty: none. */
  readonly note?: string | undefined;
}

/** The owner's requests at one moment, without content. */
export interface RequestsNow {
  /** How many wait for the owner's decision. */
  readonly waiting: number;
  /** Opaque. It differs once a request is added or changes its state. */
  readonly version: string;
}

/** Its functions must not throw. */
export interface RequestWatcher {
  changed(now: RequestsNow): void;
  /** The service stops: nothing follows. */
  ended(): void;
}

export interface Decided {
  readonly approval: Approval;
  readonly won: boolean;
  /** True if only the confirmation of its red findings was missing. */
  readonly isRiskUnconfirmed?: true;
}

/** One of the requests that are decided together. */
export interface TogetherMember {
  readonly approvalId: string;
  /** Of the plan that the page showed. */
  readonly digest: string;
}

/** What became of one of the requests that were decided together. */
export interface DecidedMember {
  readonly approvalId: string;
  /** As it is now. Undefined: the owner has no such request, or storage did not answer. */
  readonly approval: Approval | undefined;
  /**
   * Why this call did not decide it; null: it did. `alone`: it is of another kind, has a finding, or cannot be shown.
   * `changed`: its plan is not the one that was shown. `not_possible`: it was not pending any more, its time was over, its
   * key or permission off, or it is outside the fences. `unknown`: storage did not answer.
   */
  readonly left: 'not_found' | 'alone' | 'changed' | 'not_possible' | 'unknown' | null;
}

export interface DecidedChange extends Decided {
  /** What the owner must see before the changed request is approved. */
  readonly preview?: ChangePreview;
}

/** A changed request that is not approved yet. */
export interface ChangePreview {
  /** Proves that the owner saw this preview. Empty: only its red findings must be confirmed. */
  readonly confirms: string;
  readonly content: ApprovalContent;
  readonly findings: readonly ShownFinding[];
}

/** What every view of a request shows. */
export interface ApprovalHeading {
  readonly approval: Approval;
  /** The name of the requesting key. */
  readonly keyName: string;
  /** The title of the tool in the owner's words. */
  readonly title: string;
}

/** A row of the owner's list. */
export interface ApprovalSummary extends ApprovalHeading {
  readonly gist: ApprovalGist;
  /**
   * What the owner should know before a decision, the most severe first, without its evidence. That the key always asks
   * is not among it.
   */
  readonly findings: readonly NamedFinding[];
}

/** What the owner's list shows of a request. */
export type ApprovalGist =
  | Gist
  /** It is erased together with the plan. */
  | { readonly kind: 'erased' }
  /** The request was filed by a version of Countersign that kept no gists. */
  | { readonly kind: 'not_kept' }
  /** It is damaged, or its key is missing. */
  | { readonly kind: 'unreadable' };

/** Everything that would happen, as the plan says. */
export interface ApprovalView extends ApprovalHeading {
  readonly content: ApprovalContent;
  /** Its key is paused. It runs only if the owner approves it. */
  readonly isKeyPaused: boolean;
  /** It is outside the fences of its key, so it cannot be approved. */
  readonly isOutsideFence: boolean;
  /** Whether its key asks before every action of this kind. */
  readonly isAlwaysAsked: boolean;
  /** What the owner should know before a decision, the most severe first. */
  readonly findings: readonly ShownFinding[];
  /** What agents read before it was requested, newest first. */
  readonly reads: readonly ReadLine[];
  /** Why the agent asks, in its own words. Null: it did not say, or the plan is not shown. */
  readonly purpose: string | null;
  /** Null: the owner did not decide, or an older version did not record it. */
  readonly decidedIn: DecidedIn | null;
  /** What the owner wrote when rejecting it, and what the owner changed before approving it. */
  readonly words: OwnerWords;
  /** What the owner may change before approving it. Null: nothing. */
  readonly draft: Draft | null;
  /** It failed, nothing was done, and `tryAgain` can file it again. */
  readonly canTryAgain: boolean;
  /** What was asked for, if the owner changed it before approving it. */
  readonly asked: ApprovalContent | null;
}

/** Where the owner decided. */
export type DecidedIn =
  | { readonly kind: 'session'; readonly browser: string; readonly signedInAt: Date }
  /** A session of the dashboard that has ended since. */
  | { readonly kind: 'ended_session' }
  /** The app that embeds Countersign. */
  | { readonly kind: 'app' };

/** A finding as the owner's page shows it. */
export interface ShownFinding extends Pick<Finding, 'severity' | 'marks'> {
  /** The name of its rule. */
  readonly rule: string;
  readonly sentence: Sentence;
}

/** The request as the owner sees it. Only a request that can be shown can be approved. */
export type ApprovalContent =
  /** `account`: the one for which it acts; null: several, or none. */
  | ({ readonly kind: 'shown'; readonly account: ActingAccount | null } & ActionFacts)
  /** Its plan was erased some time after its end. */
  | { readonly kind: 'erased' }
  /** Another version of Countersign wrote its plan. */
  | { readonly kind: 'other_version' }
  /** Its plan is damaged, or contains something that cannot be shown. */
  | { readonly kind: 'unreadable' };

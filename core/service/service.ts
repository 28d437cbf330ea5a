import type { ActionFacts } from '../actions/action.ts';
import type { Gist } from '../actions/gist.ts';
import type { ActingAccount } from '../actions/message-target.ts';
import type { Approval } from '../approvals/approval.ts';
import type { Failure, Outcome } from '../call/outcome.ts';
import type { ErrorCode } from '../contract/errors.ts';
import type { MailFolder } from '../folders/folder.ts';
import type { FolderRoles, PinnedRole } from '../folders/roles.ts';
import type { Rate } from '../gate/limits.ts';
import type { Modes, Preset } from '../gate/permissions.ts';
import type { Session, StoredSession } from '../gate/session.ts';
import type { stepUp } from '../gate/step-up.ts';
import type { CalendarInfo } from '../ports/calendar.ts';
import type { Account, Caller, Credential, Owner, StoredActivity, StoredEvent } from '../ports/storage.ts';
import type { TrackerStorage } from '../ports/tracker-storage.ts';
import type { ToolListing } from '../tools/define-tool.ts';

/** What the doors, the dashboard and an embedding app use. */
export interface Service {
  /** Public addresses, without a slash at the end. */
  readonly baseUrl: string;
  readonly dashboardUrl: string;

  readonly calls: Calls;
  readonly owners: Owners;
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly accounts: Accounts;
  readonly approvals: Approvals;
  readonly trackers: Trackers;

  /**
   * `approval.pending`: something waits for the owner. Ids only. A listener that fails, at once or later, is logged
   * and changes nothing. @returns a function that stops the listening
   */
  on(
    event: 'approval.pending',
    listener: (notice: { ownerId: string; approvalId: string }) => unknown,
  ): () => void;

  /** Resolves when storage answers. */
  healthy(): Promise<void>;
  /** One round of background work: expiry, recovery, follow-ups, checkpoints of the activity, erasing. */
  recover(): Promise<void>;
  /** One look for new mail that trackers wait for, and at the summaries of those that found some. */
  watch(): Promise<void>;
  /** Recovers and watches now and then every few seconds, until `stop`. */
  start(): void;
  /** Takes no more work, waits for what runs (at most `withinMs`), closes mail and storage. */
  stop(withinMs?: number): Promise<void>;
}

export interface Calls {
  /**
   * The first step of every call: whose key is it, and may it call now?
   * Counts the call and takes a slot; whoever is admitted must end with `runTool` or `endCall`.
   * @param request `token`: what follows `Bearer `, undefined where there is none;
   *   `address`: the caller's, for the budget of those who hold no key
   */
  admitCaller(request: { token: string | undefined; address: string }): Promise<Admission>;
  /** Runs one tool and ends the call. Never throws: what goes wrong is a Failure. */
  runTool(caller: Caller, call: ToolCall): Promise<Answer>;
  /** Ends an admitted call that runs no tool: refused by the door (a code), or answered by it (`ok`). */
  endCall(caller: Caller, outcome: 'ok' | ErrorCode): Promise<void>;
  /** The tools that this caller may use, as GET /v1/tools and MCP list them. */
  tools(caller: Caller): readonly ToolListing[];
}

export type Admission =
  | { readonly kind: 'refused'; readonly failure: Failure; readonly rate: Rate }
  | { readonly kind: 'over'; readonly failure: Failure; readonly retryAfterS: number; readonly rate: Rate }
  | { readonly kind: 'admitted'; readonly caller: Caller; readonly rate: Rate };

export interface ToolCall {
  readonly tool: string;
  readonly args: unknown;
  readonly idempotencyKey: string | undefined;
  /** Bytes of the answer as this door will write it; an answer is cut until it fits. */
  readonly sizeBytes: (outcome: Outcome) => number;
}

export interface Answer {
  readonly outcome: Outcome;
  /** It is the stored answer of an earlier call with the same Idempotency-Key. */
  readonly replayed: boolean;
}

export interface Owners {
  /** @throws ServiceError invalid_arguments when id or email are taken or malformed */
  create(owner: {
    ownerId?: string;
    email: string;
    timezone?: string;
    password?: string;
  }): Promise<{ ownerId: string }>;
  /** In whatever case; undefined: there is none. */
  byEmail(email: string): Promise<Owner | undefined>;
  /** Ends all sessions of the owner. @throws ServiceError not_found, invalid_arguments (10 to 1000 characters) */
  setPassword(ownerId: string, password: string): Promise<void>;
  /** Newest first. */
  activity(ownerId: string, limit: number): Promise<readonly StoredActivity[]>;
  /** Events behind sequence number `after`, oldest first. */
  events(ownerId: string, after: number, limit: number): Promise<readonly StoredEvent[]>;
}

/** Who is signed in on the dashboard. */
export interface Sessions {
  /**
   * Checks email and password as `CheckPassword` does, and begins a session.
   * @param request `address`: the caller's; `device`: the value of its device cookie, undefined without one;
   *   `browser`: a short description for the owner; `proofKey`: the public half of the browser's key, which the session
   *   keeps as it comes; null without one
   * @returns the values of the session cookie and of the device cookie; undefined when email and password do not match
   * @throws ServiceError rate_limited or busy, with details.retry_after_s
   */
  signIn(request: {
    email: string;
    password: string;
    address: string;
    device: string | undefined;
    browser: string;
    proofKey: string | null;
  }): Promise<{ readonly session: string; readonly device: string } | undefined>;
  /** Whose session it is; undefined: nobody's, or it is over (after 14 days). */
  find(token: string): Promise<{ readonly owner: Owner; readonly session: StoredSession } | undefined>;
  /**
   * The person proves once more to be the owner. Tries are bounded together with those of `signIn`.
   * @param request `proofKey`: replaces the session's; null leaves it as it is
   * @returns the session as it is now, and the value of the device cookie; `ended` when it was ended meanwhile
   * @throws ServiceError rate_limited or busy, with details.retry_after_s
   */
  confirm(request: {
    session: StoredSession;
    password: string;
    address: string;
    device: string | undefined;
    proofKey: string | null;
  }): Promise<{ readonly session: StoredSession; readonly device: string } | 'wrong_password' | 'ended'>;
  /** Whether a request of this session may go ahead now: `stepUp` on the service's clock. */
  stepUp(facts: Omit<Parameters<typeof stepUp>[0], 'now'>): ReturnType<typeof stepUp>;
  /** Uses up the nonce of a signed form. False: it was used before in this session, or the session has ended. */
  takeProof(session: Session, nonce: string): Promise<boolean>;
  /** Those that are not over, the last used first; at most 100. */
  list(ownerId: string): Promise<readonly StoredSession[]>;
  /** Ends one at once, in every process. False: there is none with this id. */
  end(ownerId: string, sessionId: string): Promise<boolean>;
  /** Ends all sessions of the owner except this one. @returns how many */
  endOthers(session: Session): Promise<number>;
}

export interface Keys {
  /**
   * @param key `days`: 1 to 180, default 90; `modes`: changes to the preset
   * @returns the key, shown this once
   * @throws ServiceError not_found (the owner), invalid_arguments
   */
  create(key: {
    ownerId: string;
    name: string;
    preset: Preset;
    modes?: Partial<Modes>;
    days?: number;
  }): Promise<{ keyId: string; apiKey: string }>;
  /** Newest first, revoked ones too. */
  list(ownerId: string): Promise<readonly Credential[]>;
  /** The new key lives 90 days; the old one works for 24 more hours. @throws ServiceError not_found */
  rotate(ownerId: string, keyId: string): Promise<{ apiKey: string }>;
  /** @throws ServiceError not_found */
  revoke(ownerId: string, keyId: string): Promise<void>;
  /** @throws ServiceError not_found, invalid_arguments (a mode that the group has not) */
  setModes(ownerId: string, keyId: string, modes: Partial<Modes>): Promise<void>;
  /** A key was found where it must not be, in a URL; a live one is revoked. */
  revokeLeaked(apiKey: string): Promise<void>;
}

export interface Accounts {
  /**
   * Connects and signs in first, to the calendar server too where the settings name one, and saves only then.
   * `settings` is the adapters'; `label` is the email unless given.
   * @throws MailError, and ServiceError not_found (the owner), invalid_arguments
   */
  connect(account: {
    ownerId: string;
    email: string;
    label?: string;
    signature?: string;
    settings: unknown;
  }): Promise<{ accountId: number }>;
  /** The calendars that settings lead to, for the owner to pick one from; nothing is saved. @throws MailError */
  calendars(account: { ownerId: string; email: string; settings: unknown }): Promise<readonly CalendarInfo[]>;
  list(ownerId: string): Promise<readonly Account[]>;
  /** @throws ServiceError not_found */
  activate(ownerId: string, accountId: number): Promise<void>;
  /** Cancels what waits for it. @throws ServiceError not_found */
  remove(ownerId: string, accountId: number): Promise<void>;
  /** Which folders have which roles, for the owner's page. @throws ServiceError not_found */
  folders(ownerId: string, accountId: number): Promise<AccountFolders>;
  /**
   * Pins roles as the owner chooses; the others stay as they are.
   * @throws ServiceError not_found; invalid_arguments where a folder is not there, is the inbox, or has another role;
   *   MailError when the folders cannot be listed
   */
  chooseFolders(ownerId: string, accountId: number, choices: FolderChoices): Promise<void>;
}

export interface AccountFolders {
  readonly account: Account;
  /** Null: not decided yet, and the server could not be reached to decide. */
  readonly roles: FolderRoles | null;
  /** Undefined: the server could not list them. */
  readonly folders: readonly MailFolder[] | undefined;
}

/** `made`: Countersign creates a folder when it needs one. `none`: there is to be none. */
export type FolderChoice = { readonly path: string } | 'made' | 'none';
export type FolderChoices = Readonly<Partial<Record<PinnedRole, FolderChoice>>>;

/** For the owner's page. */
export interface Trackers {
  /** Newest first, behind the tracker with the number `before`. `active`: open and waiting. */
  list(
    ownerId: string,
    query: { state: 'active' | 'resolved'; before?: number; limit: number },
  ): ReturnType<TrackerStorage['trackers']>;
  /** With a page of its links, newest first, from the link with the number `upTo` on. Undefined: there is none. */
  show(
    ownerId: string,
    trackerId: number,
    query: { upTo?: number; limit: number },
  ): ReturnType<TrackerStorage['tracker']>;
}

/** For the owner's page alone: no key and no agent comes here. */
export interface Approvals {
  /** Newest first, behind the request `after`. `open`: pending and approved. Opens no plan. */
  list(
    ownerId: string,
    query: { state: 'open' | 'all'; after?: { createdAtMs: number; id: string }; limit: number },
  ): Promise<{ readonly approvals: readonly ApprovalSummary[]; readonly more: boolean }>;
  /** Undefined: the owner has no such request. */
  show(ownerId: string, approvalId: string): Promise<ApprovalView | undefined>;
  /**
   * Approves what the page with this digest showed, and runs it; waits at most 25 s for the run.
   * `won` is false when it was no longer pending, its time was over, or the digest is another.
   */
  approve(ownerId: string, approvalId: string, digest: string): Promise<Decided | undefined>;
  /** `won` is false when it was no longer pending. Undefined: the owner has no such request. */
  reject(ownerId: string, approvalId: string): Promise<Decided | undefined>;
}

export interface Decided {
  readonly approval: Approval;
  readonly won: boolean;
}

/** What every view of a request shows. */
interface ApprovalHeading {
  readonly approval: Approval;
  /** Name of the key that asked. */
  readonly keyName: string;
  /** Title of the tool in the owner's words. */
  readonly title: string;
}

/** A row of the owner's list. */
export interface ApprovalSummary extends ApprovalHeading {
  readonly gist: ApprovalGist;
  /** What the owner should know before a decision, in the owner's words. That the key always asks is not among it. */
  readonly findings: readonly string[];
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

/** Everything that would happen, as the plan says it. */
export interface ApprovalView extends ApprovalHeading {
  readonly content: ApprovalContent;
  /** Why it waits, in the owner's words. */
  readonly notes: readonly string[];
}

/** What the owner is shown of a request. Only what is shown can be approved. */
export type ApprovalContent =
  /** `account`: the one that it acts for; null: several, or none. */
  | ({ readonly kind: 'shown'; readonly account: ActingAccount | null } & ActionFacts)
  /** Its plan is erased some time after its end. */
  | { readonly kind: 'erased' }
  /** Another version of Countersign wrote its plan. */
  | { readonly kind: 'other_version' }
  /** Its plan is damaged, or holds what cannot be shown. */
  | { readonly kind: 'unreadable' };

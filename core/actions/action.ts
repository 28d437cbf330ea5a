import type { Mailbox } from '../accounts/mail-call.ts';
import type { RunPorts } from '../accounts/tool-ports.ts';
import type { Result } from '../contract/result.ts';
import type { SentMessage } from '../mail/sent-message.ts';
import type { Start } from '../ports/mail.ts';
import type { Ports } from '../ports/ports.ts';
import type { ActingAccount, MessageTarget } from './message-target.ts';
import type { EventChange } from './planned-change.ts';

/**
 * One action of one kind: what a plan freezes of it, what the owner's page shows, and what runs. Each kind is a module
 * of this folder: a schema, and a function that makes the action from what that schema read.
 * @typeParam S what the plan keeps
 * @typeParam R what its approval shows as `result` once it is executed
 */
export interface Action<S, R> {
  readonly stored: S;
  /** The account that it acts for. Null: several accounts, or none, as with a tracker. */
  readonly account: ActingAccount | null;
  /** The same request again within the hour is held: sends and events. */
  readonly isHeldWhenRepeated: boolean;
  /** Marks of the messages that it moves, copies or labels (`relocationMark`): remembered before it starts. */
  readonly relocated: readonly string[];
  /** Addresses that it writes to, or has a server write to. If there are any, it counts against the send limit. */
  readonly recipients: readonly string[];
  /** All that the owner must see of it. @throws Error when it cannot be shown in full */
  facts(ports: Pick<Ports, 'calendar' | 'reader'>): Promise<ActionFacts>;
  /** Does it. @throws MailError */
  perform(run: RunContext): Promise<R>;
  /** After a crash between start and settlement: did it happen? */
  check(run: RunContext): Promise<Checked<R>>;
  /** What is left to do after success. It is repeated until it succeeds, so each part of it must be safe to repeat. */
  followUp?(run: RunContext): Promise<void>;
}

/** An action that may run at once without an approval. */
export interface LightAction<S, R, D> extends Action<S, R> {
  /** What its route answers then. */
  direct(result: R): D;
}

export function isLight<S, R>(action: Action<S, R>): action is LightAction<S, R, Result> {
  return 'direct' in action;
}

export type Checked<R> =
  | { readonly kind: 'happened'; readonly result: R }
  /** It certainly did not happen, or running it again changes nothing more: it runs again. */
  | { readonly kind: 'not' }
  | { readonly kind: 'unknown' };

/** What a run knows: no caller, no arguments. */
export interface RunContext {
  readonly ports: RunPorts;
  readonly ownerId: string;
  /** Stays the same when the run is repeated: for writes to Countersign's own storage. */
  readonly requestId: string;
  /** When the run started: the Date of what is sent. */
  readonly date: Date;
  /** Once it has answered true, it goes on answering true: an action of several steps passes it to each of them. */
  readonly start: Start;
  /** @throws MailError `refused` when the account is no longer connected */
  mailbox(accountId: number): Promise<Mailbox>;
}

/** What the owner's page shows of an action, section by section. All of it is read from what will run. */
export interface ActionFacts {
  /** What is sent: its envelope, and what its bytes say. */
  readonly message?: {
    readonly envelope: { readonly from: string; readonly to: readonly string[] };
    readonly says: SentMessage;
  };
  /** What becomes of an event. */
  readonly event?: EventChange;
  /** Labels and plain text. */
  readonly details: readonly { readonly label: string; readonly text: string }[];
  /** The messages that it is about. */
  readonly targets: readonly MessageTarget[];
}

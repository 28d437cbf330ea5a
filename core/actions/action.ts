import type { Mailbox } from '../accounts/mail-call.ts';
import type { RunPorts } from '../accounts/tool-ports.ts';
import type { Relocated } from '../approvals/run-storage.ts';
import type { Result } from '../contract/result.ts';
import type { Reach } from '../keys/fences.ts';
import type { SentMessage } from '../mail/sent-message.ts';
import type { Start } from '../ports/mail.ts';
import type { Ports } from '../ports/ports.ts';
import type { ReadingFor } from '../ports/reader.ts';
import type { ActionEffect } from './effect.ts';
import type { ActingAccount, MessageTarget } from './message-target.ts';
import type { EventChange } from './planned-change.ts';

/**
 * One action of one kind: what a plan stores, what the owner's page shows, and what runs. Each kind is a
 * module of this folder: a schema, and a function that builds the action from what that schema read.
 * @typeParam S  what the plan stores
 * @typeParam R  the `result` of its approval once it is executed
 */
export interface Action<S, R> {
  readonly stored: S;
  /** The account for which it acts. Null: several accounts, or none, as with a tracker. */
  readonly account: ActingAccount | null;
  /** The same request again within the hour is held: sends and events. */
  readonly isHeldWhenRepeated: boolean;
  /** The messages that it moves, copies or labels: remembered before it starts. */
  readonly relocated: readonly Relocated[];
  /**
   * Addresses to which it writes, or has a server write. If there are any, it counts towards the send limit.
   */
  readonly recipients: readonly string[];
  /** What it touches: judged by the fences of its key. */
  readonly reach: Reach;
  /** Everything that the owner must see of it. @throws Error if it cannot be shown in full */
  facts(ports: Pick<Ports, 'calendar' | 'reader'>, reading: ReadingFor): Promise<ActionFacts>;
  /** Performs the action. @throws MailError */
  perform(run: RunContext): Promise<R>;
  /** Finds out, after a crash between start and settlement, whether it happened. */
  check(run: RunContext): Promise<Checked<R>>;
  /**
   * What remains to be done after success. It is repeated until it succeeds, so each part must be safe to
   * repeat.
   */
  followUp?(run: RunContext): Promise<void>;
}

/** An action that may run at once without an approval. */
export interface LightAction<S, R, D> extends Action<S, R> {
  /** Returns the answer of its route in that case. */
  direct(result: R): D;
}

export function isLight<S, R>(action: Action<S, R>): action is LightAction<S, R, Result> {
  return 'direct' in action;
}

export type Checked<R> =
  | { readonly kind: 'happened'; readonly result: R }
  /** It certainly did not happen, or a repeat changes nothing more: it runs again. */
  | { readonly kind: 'not' }
  | { readonly kind: 'unknown' };

/** What a run receives: no caller, no arguments. */
export interface RunContext {
  readonly ports: RunPorts;
  readonly ownerId: string;
  /** Stays the same if the run is repeated: for writes to Countersign's own storage. */
  readonly requestId: string;
  /** When the run started: the Date of a sent message. */
  readonly date: Date;
  /** No person approved it: what it sends says so. */
  readonly isAutomatic: boolean;
  /**
   * Once it has returned true, it always returns true. An action of several steps passes it to each of them.
   */
  readonly start: Start;
  /** @throws MailError `refused` if the account is no longer connected */
  mailbox(accountId: number): Promise<Mailbox>;
}

/** The facts of an action on the owner's page, section by section. All are read from what will run. */
export interface ActionFacts {
  readonly effect: ActionEffect;
  /** A sent message: its envelope, and the content of its bytes. */
  readonly message?: {
    readonly envelope: { readonly from: string; readonly to: readonly string[] };
    readonly says: SentMessage;
    /** How much of the text the agent wrote, from its start, in UTF-16 units. Null: it is not known. */
    readonly ownChars: number | null;
    /** What leaves, byte for byte, except that it has no Date yet: it gets the time of sending. */
    readonly bytes: Uint8Array;
    /** How many bytes leave, headers included. */
    readonly sizeBytes: number;
  };
  /** The change of an event. */
  readonly event?: EventChange;
  /** Labels and plain text. */
  readonly details: readonly { readonly label: string; readonly text: string }[];
  /** The messages that it changes. */
  readonly targets: readonly MessageTarget[];
}

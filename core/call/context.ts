import type { LookUpPorts, OwnPorts } from '../accounts/tool-ports.ts';
import type { Limits } from '../gate/limits.ts';
import type { Mode } from '../gate/permissions.ts';
import type { MailCall } from '../ports/mail.ts';
import type { Account, Credential, Owner } from '../ports/storage.ts';
import type { Identifiers } from './identifiers.ts';

/** What a call knows. */
export interface CallContext {
  readonly ports: LookUpPorts;
  readonly owner: Owner;
  readonly credential: Credential;
  readonly accounts: readonly Account[];
  readonly limits: Limits;
  /** The effective mode of the tool's group; `on` for the key's own affairs. */
  readonly mode: Mode;
  readonly identifiers: Identifiers;
  readonly now: Date;
  readonly dashboardUrl: string;
  /** A cursor is bound to tool and arguments by this. */
  readonly cursorScope: string;
  /** Ends the work when the caller stops waiting. */
  readonly signal: AbortSignal;
  mailCall(account: Account): MailCall;
  /** Notes for the activity row what was shown in full or changed, or listed. */
  shown(id: string): void;
  listed(id: string): void;
}

/** What a call knows that withdraws a request of its own key. */
export interface OwnContext extends CallContext {
  readonly ports: OwnPorts;
}

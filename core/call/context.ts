import type { LookUpPorts, OwnPorts } from '../accounts/tool-ports.ts';
import type { Approval } from '../approvals/approval.ts';
import type { ServiceError } from '../contract/errors.ts';
import type { OpenWords } from '../execution/sealed-words.ts';
import type { Fences } from '../keys/fences.ts';
import type { Limits } from '../keys/limits.ts';
import type { Credential } from '../keys/live-key.ts';
import type { Mode } from '../keys/permissions.ts';
import type { Owner } from '../owners/owner-state.ts';
import type { Account } from '../ports/account.ts';
import type { MailCall } from '../ports/mail.ts';
import type { ShownPassage } from '../provenance/read-record.ts';
import type { Cursors } from './cursors.ts';
import type { MessageHandles } from './message-handles.ts';

/**
 * Says in a line what a request is about, in its caller's own words and counts. Undefined: it cannot be said, or not any more.
 * @param sealedGist as storage returns it
 */
export type RequestSummary = (
  approval: Approval,
  sealedGist: string | null | undefined,
) => string | undefined;

/** The context of a call. */
export interface CallContext {
  readonly ports: LookUpPorts;
  readonly owner: Owner;
  readonly credential: Credential;
  /** The accounts inside the key's fences. */
  readonly accounts: readonly Account[];
  /** The addresses of the owner and of all accounts, also of those outside the fences. Normalised. */
  readonly ownAddresses: ReadonlySet<string>;
  readonly fences: Fences;
  readonly limits: Limits;
  /** The effective mode of the tool's group; `on` for the tools of the key's own affairs. */
  readonly mode: Mode;
  readonly cursors: Cursors;
  readonly handles: MessageHandles;
  readonly now: Date;
  readonly dashboardUrl: string;
  /** Opens what the owner wrote about a request. */
  readonly ownerWords: OpenWords;
  readonly requestSummary: RequestSummary;
  /** Binds a cursor to its tool and arguments. */
  readonly cursorScope: string;
  /** Aborted when the caller stops waiting. */
  readonly signal: AbortSignal;
  /** The refusal of a call outside the fences. @param field the argument that leads there, such as `to[0]` */
  outsideFence(field: string): ServiceError;
  mailCall(account: Account): MailCall;
  /** Records, for the activity row, an id that the call showed in full, changed or listed. */
  shown(id: string): void;
  listed(id: string): void;
  /** Records what the call read of others' texts, to find out later where a write comes from. */
  read(passages: readonly ShownPassage[]): void;
}

/** What looking up messages and events of accounts needs. */
export type LookUpContext = Pick<
  CallContext,
  'ports' | 'owner' | 'accounts' | 'fences' | 'handles' | 'signal' | 'mailCall'
> & { outsideFence(field: string): Error };

/** The context of a call that withdraws a request of its own key. */
export interface OwnContext extends CallContext {
  readonly ports: OwnPorts;
}

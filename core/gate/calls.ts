import { type Failure, failure, failureOf } from '../call/outcome.ts';
import type { ErrorCode } from '../contract/errors.ts';
import { createAddressBudget } from '../keys/address-budget.ts';
import type { Caller } from '../keys/call-storage.ts';
import { secretHash } from '../keys/credential.ts';
import type { Rate } from '../keys/limits.ts';
import { effectiveMode, GROUPS, type Group } from '../keys/permissions.ts';
import type { Ports } from '../ports/ports.ts';
import { CATALOGUE } from '../tools/catalogue.ts';
import { listingOf, type ToolListing } from '../tools/define-tool.ts';
import type { Admit } from './admission.ts';
import { createSlotWaits } from './slot-waits.ts';
import type { Answer, ToolCall } from './tool-call.ts';

export interface Calls {
  /**
   * The first step of every call: finds the key and checks whether it may call now. Counts the call and takes
   * a slot. Every admitted call must end with `runTool` or `endCall`.
   */
  admitCaller(request: CallerRequest): Promise<Admission>;
  /**
   * The same for a caller that was `over`: if its key is only busy, it waits up to 5 s for a slot. At most eight calls of a
   * key wait.
   * @param gone  aborted when the caller has disconnected
   */
  admitWaiting(request: CallerRequest, over: OverAdmission, gone?: AbortSignal): Promise<Admission>;
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

export interface CallerRequest {
  /** The text after `Bearer `. Undefined: there is none. */
  readonly token: string | undefined;
  /** The caller's, for the budget of callers without a key. */
  readonly address: string;
}

/** The key is known, and over one of its limits. */
export interface OverAdmission {
  readonly kind: 'over';
  readonly credentialId: string;
  readonly failure: Failure;
  readonly rate: Rate;
}

export type Admission =
  | { readonly kind: 'refused'; readonly failure: Failure; readonly rate: Rate }
  | OverAdmission
  | { readonly kind: 'admitted'; readonly caller: Caller; readonly rate: Rate };

/** Per minute and address group. */
export const CALLS_WITHOUT_KEY = 60;

const LISTED = CATALOGUE.map((tool) => ({ group: tool.group, listing: listingOf(tool) }));

/** @param isAccepted whether a text has the form of the secrets that the door accepts */
export function createCalls(
  { storage, clock }: Ports,
  admit: Admit,
  runTool: Calls['runTool'],
  endWaits: Calls['endWaits'],
  isAccepted: (token: string) => boolean,
): Calls {
  const keylessCalls = createAddressBudget(CALLS_WITHOUT_KEY);
  const slots = createSlotWaits(clock);
  /** By the groups that are on: at most 1024. */
  const lists = new Map<string, readonly ToolListing[]>();

  async function admitCaller({ token, address: from }: CallerRequest): Promise<Admission> {
    const now = clock.now();
    if (token !== undefined && isAccepted(token)) {
      const admitted = await admit({ secretHash: secretHash(token) });
      if (admitted.kind === 'unavailable') {
        const { rate } = keylessCalls.take(from, now);
        return { kind: 'refused', failure: failureOf(admitted.refusal), rate };
      }
      if (admitted.kind === 'over') return { ...admitted, failure: failureOf(admitted.refusal) };
      if (admitted.kind === 'admitted') return admitted;
    }
    const { within, rate } = keylessCalls.take(from, now);
    const refusal = within
      ? failure('invalid_token')
      : failure('rate_limited', { retry_after_s: rate.resetS });
    return { kind: 'refused', failure: refusal, rate };
  }

  return {
    admitCaller,
    async admitWaiting(request, over, gone) {
      if (!isBusy(over)) return over;
      const again = async () => {
        const admission = await admitCaller(request);
        return isBusy(admission) ? undefined : admission;
      };
      return (await slots.wait(over.credentialId, again, gone)) ?? over;
    },
    async runTool(caller, call) {
      try {
        return await runTool(caller, call);
      } finally {
        slots.ended(caller.credential.credentialId);
      }
    },
    endWaits,
    async endCall(caller, outcome) {
      const now = clock.now();
      await storage.finish({
        caller: { ownerId: caller.owner.ownerId, credentialId: caller.credential.credentialId },
        slotId: caller.slotId,
        claim: null,
        activity: {
          kind: 'call',
          credentialId: caller.credential.credentialId,
          tool: null,
          outcome,
          approvalId: null,
          durationMs: 0,
          shown: [],
          listed: [],
        },
        now,
      });
      slots.ended(caller.credential.credentialId);
    },
    tools({ credential, owner }) {
      const isOn = (group: Group | null) =>
        group === null || effectiveMode(group, credential.modes[group], owner.plan) !== 'off';
      const groupsOn = GROUPS.filter(isOn).join();
      const list =
        lists.get(groupsOn) ?? LISTED.filter(({ group }) => isOn(group)).map(({ listing }) => listing);
      lists.set(groupsOn, list);
      return list;
    },
  };
}

function isBusy(admission: Admission): boolean {
  return admission.kind === 'over' && admission.failure.code === 'busy';
}

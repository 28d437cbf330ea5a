import { failureOf, type Outcome } from '../call/outcome.ts';
import type {
  OneOrSeveral,
  OutcomeForOne,
  ToolArguments,
  ToolName,
  ToolOutcome,
} from '../tools/catalogue.ts';
import type { ToolListing } from '../tools/define-tool.ts';
import type { Admit } from './admission.ts';
import type { Calls } from './calls.ts';

export interface KeyCalls {
  /**
   * Runs one tool. Never throws for a reason of the call: an error is an outcome with `status` `error`. An unknown,
   * revoked or expired key is `invalid_token`, a stopped service `temporarily_unavailable`.
   */
  call<Name extends OneOrSeveral>(
    tool: Name,
    args: ToolArguments<Name> & { readonly id: string },
    options?: CallOptions,
  ): Promise<OutcomeForOne<Name>>;
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

/** The calls of an embedding app in the name of a key. They pass the same gate as those of the doors. */
export function createKeyCalls(admit: Admit, calls: Calls) {
  return ({ ownerId, keyId }: { ownerId: string; keyId: string }): KeyCalls => {
    async function callTool(tool: string, args: unknown, options: CallOptions = {}): Promise<Outcome> {
      const admitted = await admit({ ownerId, credentialId: keyId });
      if (admitted.kind !== 'admitted') return failureOf(admitted.refusal);
      const { idempotencyKey, signal, onWaiting } = options;
      const { outcome } = await calls.runTool(admitted.caller, {
        tool,
        args,
        idempotencyKey,
        sizeBytes,
        onWaiting,
        gone: signal,
      });
      return outcome;
    }

    return {
      // A tool returns results in the form of its own schema: `defineRead` and the others check it.
      call: callTool as KeyCalls['call'],
      async tools() {
        const admitted = await admit({ ownerId, credentialId: keyId });
        if (admitted.kind !== 'admitted') throw admitted.refusal;
        await calls.endCall(admitted.caller, 'ok');
        return calls.tools(admitted.caller).map((listing) => ({
          ...listing,
          call: (args, options) => callTool(listing.name, args, options),
        }));
      },
    };
  };
}

function sizeBytes(outcome: Outcome): number {
  return Buffer.byteLength(JSON.stringify(outcome));
}

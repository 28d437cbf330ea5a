import { failureOf, type Outcome } from '../call/outcome.ts';
import type { ToolName, ToolOutcome } from '../tools/catalogue.ts';
import type { Admit } from './admission.ts';
import type { CallOptions, Calls, KeyCalls } from './service.ts';

/** The calls of an embedding app in the name of a key. They pass the same gate as those of the doors. */
export function createKeyCalls(admit: Admit, calls: Calls) {
  return ({ ownerId, keyId }: { ownerId: string; keyId: string }): KeyCalls => {
    async function callTool(tool: string, args: unknown, options: CallOptions = {}): Promise<Outcome> {
      const admitted = await admit({ ownerId, credentialId: keyId });
      if (admitted.kind !== 'admitted') return failureOf(admitted.refusal);
      const { idempotencyKey, signal, onWaiting } = options;
      const { outcome } = await calls.runTool(admitted.caller, {
        ...{ tool, args, idempotencyKey, sizeBytes, onWaiting },
        gone: signal,
      });
      return outcome;
    }

    return {
      async call(tool, args, options) {
        return typed(tool, await callTool(tool, args, options));
      },
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

/** A tool returns results in the form of its own schema: `defineRead` and the others check it. */
function typed<Name extends ToolName>(_tool: Name, outcome: Outcome): ToolOutcome<Name> {
  return outcome as ToolOutcome<Name>;
}

function sizeBytes(outcome: Outcome): number {
  return Buffer.byteLength(JSON.stringify(outcome));
}

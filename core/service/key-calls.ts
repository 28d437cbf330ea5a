import type { Outcome } from '../call/outcome.ts';
import type { ToolName, ToolOutcome } from '../tools/catalogue.ts';
import type { Admit } from './admission.ts';
import type { Calls, KeyCalls } from './service.ts';

/** The calls of an embedding app in the name of a key. They pass the same gate as those of the doors. */
export function createKeyCalls(admit: Admit, runTool: Calls['runTool']) {
  return ({ ownerId, keyId }: { ownerId: string; keyId: string }): KeyCalls => ({
    async call(tool, args, { idempotencyKey, signal, onWaiting } = {}) {
      const admitted = await admit({ ownerId, credentialId: keyId });
      if (admitted.kind !== 'admitted') return admitted.failure;
      const { outcome } = await runTool(admitted.caller, {
        ...{ tool, args, idempotencyKey, sizeBytes, onWaiting },
        gone: signal,
      });
      return typed(tool, outcome);
    },
  });
}

/** A tool returns results in the form of its own schema: `defineRead` and the others check it. */
function typed<Name extends ToolName>(_tool: Name, outcome: Outcome): ToolOutcome<Name> {
  return outcome as ToolOutcome<Name>;
}

function sizeBytes(outcome: Outcome): number {
  return Buffer.byteLength(JSON.stringify(outcome));
}

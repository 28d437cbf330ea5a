import type { CallContext } from '../call/context.ts';
import { normalAddress } from '../contract/schema.ts';
import type { Planned, Purposed } from '../plans/planned.ts';
import { provenanceOf } from '../plans/provenance.ts';
import type { Storage } from '../ports/storage.ts';
import type { PriorRead } from '../provenance/read-lines.ts';
import type { ShownPassage } from '../provenance/read-record.ts';
import type { Keyring } from '../secrets/keyring.ts';

/** A planned request, with what was read before it. */
export type Traced = Purposed<Planned> & { readonly reads: readonly PriorRead[] };

/**
 * Compares a planned request with what all keys of its owner read in the last 24 hours.
 * @param shown  what planning itself read
 * @returns the plan with the findings of that, too
 */
export async function traceRequest(
  storage: Storage,
  keyring: Keyring,
  context: CallContext,
  planned: Purposed<Planned>,
  shown: readonly ShownPassage[],
): Promise<Traced> {
  const { action, purpose, texts = [], answered = null } = planned;
  const spoken =
    purpose === null ? [] : [{ name: 'purpose', text: purpose, isPassedOn: false, place: null } as const];
  const recipients = [...new Set([...action.recipients, ...action.reach.people].map(normalAddress))];
  const write = { recipients, texts: [...texts, ...spoken], answered };
  return {
    ...planned,
    ...(await provenanceOf(context, storage, keyring, write, planned.findings, shown)),
  };
}

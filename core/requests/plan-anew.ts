import type { Approval } from '../approvals/approval.ts';
import type { CallContext } from '../call/context.ts';
import { notFound } from '../contract/not-found.ts';
import type { CallDependencies } from '../gate/call-dependencies.ts';
import type { PlannedRequest } from '../gate/filing.ts';
import { contextOf } from '../gate/run-tool.ts';
import { traceRequest } from '../gate/trace-request.ts';
import { crossedFence } from '../keys/fences.ts';
import { effectiveMode } from '../keys/permissions.ts';
import type { Planned, Purposed } from '../plans/planned.ts';
import { findTool } from '../tools/catalogue.ts';
import { isWrite, type WriteTool } from '../tools/define-tool.ts';
import { ownersReply, planReply, sendReply } from '../tools/mail-reply.ts';
import { forOwner } from '../work/for-owner.ts';

/**
 * Plans a request again for its owner, with the arguments that it was filed with or that the owner changed: the same
 * checks against the mailbox as it is now, and the fences of the key. Files nothing.
 * @throws ServiceError like a call of the tool, as far as it plans; not_found if the tool or the key no longer exists
 */
export async function planAnew(
  parts: CallDependencies,
  { ownerId, credentialId, tool: name }: Approval,
  args: unknown,
): Promise<PlannedRequest> {
  const { storage, clock } = parts.ports;
  const tool = findTool(name);
  const [owner, accounts, keys] = await Promise.all([
    storage.owner(ownerId),
    storage.accounts(ownerId),
    storage.credentials(ownerId, parts.keyring),
  ]);
  const credential = keys.find((key) => key.credentialId === credentialId);
  if (tool === undefined || !isWrite(tool) || owner === undefined || credential === undefined) {
    throw notFound('approval');
  }
  const mode = effectiveMode(tool.group, credential.modes[tool.group], owner.plan);
  const caller = { owner, credential, accounts };
  const notes = { shown: new Set<string>(), listed: new Set<string>(), read: [] };
  return forOwner(clock, async (signal) => {
    const plan = boundForOwner(tool, args);
    const context = contextOf(parts, caller, { args }, { tool, mode }, notes, clock.now(), () => signal);
    const planned = await plan(context);
    if (crossedFence(context.fences, planned.action.reach, context.now) !== undefined) {
      throw context.outsideFence('');
    }
    const { ports, keyring } = parts;
    return { tool, args, planned: await traceRequest(ports.storage, keyring, context, planned, notes.read) };
  });
}

function boundForOwner(tool: WriteTool, args: unknown): (context: CallContext) => Promise<Purposed<Planned>> {
  if (tool.name !== sendReply.name) return tool.bind(args);
  const { own, purpose } = ownersReply.parse(args);
  return async (context) => ({ ...(await planReply(own, context)), purpose });
}

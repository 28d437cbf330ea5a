import type { RunContext } from '../actions/action.ts';
import { sentCopy } from '../actions/frozen-message.ts';
import type { StoredAction } from '../actions/stored-action.ts';
import type { Ports } from '../ports/ports.ts';
import { linksOf, readNewMessages } from './link-messages.ts';

/**
 * Links a message that an action has sent, also an invitation, to the trackers whose keywords it contains, by the rule
 * for new mail. The link points to the copy in Sent. Without a copy, nothing is linked. Safe to repeat.
 * @throws MailError
 */
export async function linkSent(ports: Ports, run: RunContext, action: StoredAction): Promise<void> {
  if (!('message' in action) || action.message === null) return;
  const { storage, clock } = ports;
  const { ownerId } = run;
  const { accountId } = action.account;
  const trackers = await storage.waitingTrackers(ownerId);
  if (trackers.length === 0) return;
  const row = await sentCopy(accountId, action.message, run);
  if (row === undefined) return;
  const { call } = await run.mailbox(accountId);
  const [message] = await readNewMessages(ports, call, [row]);
  if (message === undefined) return;
  for (const { trackerId, target, message: linked } of linksOf(trackers, accountId, [{ row, message }])) {
    const content = { kind: 'mail', message: linked } as const;
    await storage.linkToTracker({
      ownerId,
      trackerId,
      target,
      addedBy: 'auto',
      content,
      now: clock.now(),
    });
  }
}

import * as z from 'zod';
import type { LinkedMessage } from '../trackers/tracker-storage.ts';
import type { LightAction } from './action.ts';
import {
  changedTracker,
  type Done,
  type Linked,
  link,
  ownRecords,
  trackerFacts,
  withoutDone,
} from './change-tracker.ts';
import { type MessageTarget, messageTarget, targetName } from './message-target.ts';

/** Links a message to a tracker. An existing link stays unchanged. */

export const storedTrackerMessage = z.strictObject({
  kind: z.literal('tracker_message'),
  tracker: changedTracker,
  /** Its preview is the excerpt that the tracker stores. */
  target: messageTarget,
});
type StoredTrackerMessage = z.infer<typeof storedTrackerMessage>;

type LinkedMail = Linked<{ readonly id: string }>;
type LinkResult = LinkedMail & Done<'link_to_tracker'>;

export function trackerMessage(
  stored: StoredTrackerMessage,
): LightAction<StoredTrackerMessage, LinkResult, LinkedMail> {
  const { tracker, target } = stored;
  return {
    ...ownRecords,
    stored,
    account: target.account,
    reach: { accountIds: [target.account.accountId], people: [] },
    facts: async () => ({
      effect: { kind: 'tracker_message', tracker: tracker.title },
      details: trackerFacts(tracker),
      targets: [target],
    }),
    async perform(run) {
      const name = targetName(target.account.accountId, target);
      const linkId = await link(run, tracker, name, { kind: 'mail', message: linkedMessage(target) });
      return {
        tracker_id: tracker.trackerId,
        link_id: linkId,
        id: target.id,
        linked: true,
        done: true,
        action: 'link_to_tracker',
      };
    },
    direct: withoutDone,
  };
}

function linkedMessage(target: MessageTarget): LinkedMessage {
  const { account, path, uidValidity, uid, internalDateMs, preview } = target;
  const { stableId, fingerprint, from, subject, date, sizeBytes } = target;
  return {
    accountId: account.accountId,
    place: { path, uidValidity, uid },
    stableId,
    fingerprint,
    from,
    subject,
    date,
    internalDate: new Date(internalDateMs),
    sizeBytes,
    excerpt: preview,
  };
}

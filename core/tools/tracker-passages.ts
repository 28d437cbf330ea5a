import type { CallContext } from '../call/context.ts';
import { listedPassage } from '../call/shown-passages.ts';
import type { Tracker, TrackerLink } from '../ports/tracker-storage.ts';
import type { ShownPassage } from '../provenance/read-record.ts';
import { trackerRow } from './tracker-fields.ts';

/** What a call showed of a tracker, by the person who wrote it. */

/** An agent or the owner named the tracker. Its summary quotes mail of people whom it does not name. */
export function trackerPassages(context: CallContext, tracker: Tracker, isListed: boolean): ShownPassage[] {
  const { title, keywords, summary, next_action: nextAction } = trackerRow(context, tracker);
  const source = { ...recordOf(tracker), isListed };
  const quoted = `${summary}\n${nextAction}`;
  const written: ShownPassage = { ...source, text: `${title}\n${keywords}` };
  return quoted.trim() === '' ? [written] : [written, { ...source, origin: 'person', text: quoted }];
}

export function linkPassage(context: CallContext, tracker: Tracker, { content }: TrackerLink): ShownPassage {
  switch (content.kind) {
    case 'note':
      return { ...recordOf(tracker), text: content.note };
    case 'event':
      return {
        ...recordOf(tracker),
        kind: 'event',
        id: `event:${content.eventId}`,
        title: content.title,
        origin: 'person',
        isListed: true,
        text: content.title,
      };
    case 'mail': {
      const { message } = content;
      const account = context.accounts.find(({ accountId }) => accountId === message.accountId);
      const id = context.identifiers.messageId(context.owner.ownerId, message.accountId, message);
      // Its Message-ID is not kept, so nobody knows who wrote what is in Sent.
      const row = { ...message, messageId: null };
      return listedPassage({
        id,
        account: account ?? { email: '', folderRoles: null, authservId: null },
        row,
      });
    }
  }
}

function recordOf({ trackerId, title }: Tracker): Omit<ShownPassage, 'text'> {
  return {
    kind: 'tracker',
    id: `tracker:${trackerId}`,
    title,
    author: '',
    quoting: null,
    origin: 'record',
    receivedMs: null,
    isListed: false,
  };
}

import type { CallContext } from '../call/context.ts';
import { listedPassage } from '../call/shown-passages.ts';
import type { ShownPassage } from '../provenance/read-record.ts';
import { SUMMARY_SEPARATOR } from '../trackers/extractive-summary.ts';
import type { LinkedMessage, Tracker, TrackerLink } from '../trackers/tracker-storage.ts';
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

/**
 * What a call showed of a linked message, event or note: its row, and of a message what the summary took from it.
 * @param id  of its message
 */
export function linkPassages(
  context: CallContext,
  tracker: Tracker,
  { content }: TrackerLink,
  id = '',
): ShownPassage[] {
  switch (content.kind) {
    case 'note':
      return [{ ...recordOf(tracker), text: content.note }];
    case 'event':
      return [
        {
          ...recordOf(tracker),
          kind: 'event',
          id: `event:${content.eventId}`,
          title: content.title,
          origin: 'person',
          isListed: true,
          text: content.title,
        },
      ];
    case 'mail': {
      const { message } = content;
      const account = context.accounts.find(({ accountId }) => accountId === message.accountId);
      const row = listedPassage({
        id,
        account: account ?? { email: '', folderRoles: null, authservId: null },
        // Its Message-ID is not kept, so nobody knows who wrote what is in Sent.
        row: { ...message, messageId: null },
      });
      const { head: _head, ...source } = row;
      const text = summaryOf(context, tracker, message);
      return text === '' ? [row] : [row, { ...source, origin: 'carried', text }];
    }
  }
}

/** The sentences of the summary that stand in this message. */
function summaryOf(context: CallContext, tracker: Tracker, { excerpt }: LinkedMessage): string {
  const { summary, next_action: nextAction } = trackerRow(context, tracker);
  return (
    [...summary.split(SUMMARY_SEPARATOR), nextAction]
      // An extractive summary puts the subject before the sentence.
      .flatMap((gist) => [gist, ...(gist.includes(': ') ? [gist.slice(gist.indexOf(': ') + 2)] : [])])
      .map((sentence) => sentence.replace(/…$/u, ''))
      .filter((sentence) => sentence !== '' && excerpt.includes(sentence))
      .join('\n')
  );
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

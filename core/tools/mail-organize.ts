import * as z from 'zod';
import { flag } from '../actions/flag.ts';
import { type MessageState, messageState } from '../actions/message-state.ts';
import { writtenBy } from '../contract/text-author.ts';
import { bareFinding } from '../safety/finding.ts';
import { defineLightWrite } from './define-tool.ts';
import {
  ONE_SELECTION,
  oneSelection,
  previewed,
  requestOf,
  SELECTION_ERRORS,
  selectedMessages,
  selection,
} from './message-selection.ts';
import { changedItem, changeResult, itemsOf } from './result-shapes.ts';
import type { ToolWords } from './tool-words.ts';

/** Small changes of messages: flags. Safe to repeat. */

/** The new state of a message. */
const marked = {
  state: messageState,
  matches_request: z.boolean().meta({ description: 'Whether the server now shows the requested state.' }),
};
const markedItem = changedItem.extend(z.object(marked).partial().shape);

interface FlagChange<Name extends string> {
  readonly name: Name;
  readonly title: string;
  readonly words: ToolWords;
  readonly description: string;
  readonly state: MessageState;
}

function defineFlag<const Name extends string>({ name, title, words, description, state }: FlagChange<Name>) {
  return defineLightWrite({
    name,
    title,
    words,
    description,
    group: 'mail:organize',
    errors: SELECTION_ERRORS,
    action: null,
    input: z.strictObject(selection).refine(oneSelection, ONE_SELECTION),
    output: changeResult.extend(itemsOf(markedItem)),
    directOutput: z.union([
      z.object({
        ...changedItem.pick({ id: true, account_id: true }).shape,
        folder: writtenBy('owner', z.string()),
        ...marked,
      }),
      z.object({ ...itemsOf(markedItem), items: z.array(markedItem) }),
    ]),
    async plan(args, context) {
      const targets = (await selectedMessages(args, context)).map(({ target }) => target);
      const isHeld = targets.length > 1 && context.owner.plan === 'free';
      const findings = isHeld ? [bareFinding('several_messages')] : [];
      const shown = await previewed(targets, findings, context);
      return { action: flag({ kind: 'flag', state, targets: shown }), findings, ...requestOf(targets, {}) };
    },
  });
}

export const markRead = defineFlag({
  name: 'mark_read',
  title: 'Mark as read',
  words: { verb: 'mark % as read', past: 'Marked % as read', many: 'messages' },
  description:
    'Marks one message (id) or several (ids) as read. Give exactly one of id and ids. One message is often marked at once, several usually wait for the owner.',
  state: 'read',
});

export const markUnread = defineFlag({
  name: 'mark_unread',
  title: 'Mark as unread',
  words: { verb: 'mark % as unread', past: 'Marked % as unread', many: 'messages' },
  description:
    'Marks one message (id) or several (ids) as unread. Give exactly one of id and ids. One message is often marked at once, several usually wait for the owner.',
  state: 'unread',
});

export const flagEmail = defineFlag({
  name: 'flag_email',
  title: 'Star',
  words: { verb: 'change the star of %', past: 'Changed the star of %', many: 'messages' },
  description:
    'Stars (flags) one message (id) or several (ids). Give exactly one of id and ids. One message is often starred at once, several usually wait for the owner.',
  state: 'flagged',
});

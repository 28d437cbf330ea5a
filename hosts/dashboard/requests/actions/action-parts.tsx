import { eventParts } from './event-action.tsx';
import { messageParts } from './message-action.tsx';
import { messagesParts } from './messages-action.tsx';
import type { ActionParts, Showing } from './showing.ts';
import { trackerParts } from './tracker-action.tsx';

export function actionParts(showing: Showing): ActionParts {
  const { effect, message, event } = showing.shown;
  switch (effect.kind) {
    case 'send':
      if (message === undefined) throw new Error('a send without its message');
      return messageParts(showing, effect, message);
    case 'event':
      if (event === undefined) throw new Error('a change of the calendar without its event');
      return eventParts(showing, event);
    case 'move':
    case 'label':
    case 'flag':
      return messagesParts(showing, effect);
    default:
      return trackerParts(showing, effect);
  }
}

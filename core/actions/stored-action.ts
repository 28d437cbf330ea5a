import * as z from 'zod';
import type { Result } from '../contract/result.ts';
import type { Action } from './action.ts';
import { createTracker, storedCreateTracker } from './create-tracker.ts';
import { deleteEvent, storedDeleteEvent } from './delete-event.ts';
import { flag, storedFlag } from './flag.ts';
import { label, storedLabel } from './label.ts';
import { move, storedMove } from './move.ts';
import { putEvent, storedPutEvent } from './put-event.ts';
import { send, storedSend } from './send.ts';
import { storedTrackerEvent, trackerEvent } from './tracker-event.ts';
import { storedTrackerMessage, trackerMessage } from './tracker-message.ts';
import { storedTrackerNote, trackerNote } from './tracker-note.ts';
import { storedTrackerStatus, trackerStatus } from './tracker-status.ts';

/** Every kind of action, as a plan stores it. */
export const storedAction = z.discriminatedUnion('kind', [
  storedSend,
  storedMove,
  storedLabel,
  storedFlag,
  storedPutEvent,
  storedDeleteEvent,
  storedCreateTracker,
  storedTrackerStatus,
  storedTrackerNote,
  storedTrackerMessage,
  storedTrackerEvent,
]);

export type StoredAction = z.infer<typeof storedAction>;

/** Returns the action that a plan stores. */
export function actionOf(stored: StoredAction): Action<StoredAction, Result> {
  switch (stored.kind) {
    case 'send':
      return send(stored);
    case 'move':
      return move(stored);
    case 'label':
      return label(stored);
    case 'flag':
      return flag(stored);
    case 'put_event':
      return putEvent(stored);
    case 'delete_event':
      return deleteEvent(stored);
    case 'create_tracker':
      return createTracker(stored);
    case 'tracker_status':
      return trackerStatus(stored);
    case 'tracker_note':
      return trackerNote(stored);
    case 'tracker_message':
      return trackerMessage(stored);
    case 'tracker_event':
      return trackerEvent(stored);
  }
}

import type { TrackerStatus } from '../trackers/tracker-storage.ts';
import type { MessageState } from './message-state.ts';

/**
 * What an action does, for the one sentence on the owner's page. The messages that it changes, the message that it sends
 * and the change of an event are facts of their own.
 */
export type ActionEffect =
  /**
   * `about`: what it does to the message that it is about. Null: it is a new message. `notSent`: the attachments that it
   * leaves behind, in a line. Null: none.
   */
  | {
      readonly kind: 'send';
      readonly about: 'answered' | 'forwarded' | null;
      readonly notSent: string | null;
    }
  | { readonly kind: 'event' }
  | {
      readonly kind: 'move';
      readonly word: 'archive' | 'delete' | 'move';
      /** Without repeats: each account has its own. */
      readonly folders: readonly { readonly path: string; readonly isNew: boolean }[];
    }
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'flag'; readonly state: MessageState }
  /** `dueOn`: YYYY-MM-DD. */
  | {
      readonly kind: 'create_tracker';
      readonly title: string;
      readonly keywords: string;
      readonly dueOn: string | null;
    }
  /** `tracker`: the title of the tracker that it changes. */
  | {
      readonly kind: 'tracker_status';
      readonly tracker: string;
      readonly from: TrackerStatus;
      readonly to: TrackerStatus;
    }
  | { readonly kind: 'tracker_note'; readonly tracker: string; readonly note: string }
  | { readonly kind: 'tracker_message'; readonly tracker: string }
  | {
      readonly kind: 'tracker_event';
      readonly tracker: string;
      readonly title: string;
      readonly start: Date;
    };

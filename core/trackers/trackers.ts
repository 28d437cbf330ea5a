import type * as z from 'zod';
import { notFound } from '../contract/not-found.ts';
import { bodyText, invalidArgument } from '../contract/schema.ts';
import { trackerDue, trackerKeywords, trackerNoteText, trackerTitle } from '../contract/tracker-texts.ts';
import type { Ports } from '../ports/ports.ts';
import type { TrackerLinks } from './linkable.ts';
import type {
  Tracker,
  TrackerFields,
  TrackerLink,
  TrackerStatus,
  TrackerStorage,
} from './tracker-storage.ts';

/** For the owner's page. */
export interface Trackers extends TrackerLinks {
  /** Newest first, after the tracker with the number `before`. `active`: open and waiting. */
  list(
    ownerId: string,
    query: { state: 'active' | 'resolved'; before?: number; limit: number },
  ): ReturnType<TrackerStorage['trackers']>;
  /**
   * Returns a tracker with a page of its links, newest first, starting at the link with the number `upTo`.
   * Undefined: there is none.
   */
  show(
    ownerId: string,
    trackerId: number,
    query: { upTo?: number; limit: number },
  ): ReturnType<TrackerStorage['tracker']>;
  /**
   * Opens a tracker. @param tracker `requestId`: the same one opens only one tracker
   * @throws ServiceError invalid_arguments
   */
  create(tracker: TrackerFields & { ownerId: string; requestId: string }): Promise<Tracker>;
  /**
   * Changes the fields that were seen as `was`. @returns whether they are now as in `fields`; false: somebody else
   * changed them meanwhile, and nothing was done. @throws ServiceError not_found, invalid_arguments
   */
  edit(change: {
    ownerId: string;
    trackerId: number;
    was: TrackerFields;
    fields: TrackerFields;
  }): Promise<boolean>;
  /** @throws ServiceError not_found */
  setStatus(ownerId: string, trackerId: number, status: TrackerStatus): Promise<void>;
  /** @param note `requestId`: the same one adds only one note. @throws ServiceError not_found, invalid_arguments */
  addNote(note: { ownerId: string; trackerId: number; requestId: string; note: string }): Promise<void>;
  /** Removes a link or a note, as it was seen. @returns whether it was there */
  unlink(
    ownerId: string,
    trackerId: number,
    link: Pick<TrackerLink, 'linkId' | 'createdAt'>,
  ): Promise<boolean>;
}

export function createTrackers({ storage, clock }: Ports): Omit<Trackers, keyof TrackerLinks> {
  return {
    list: (ownerId, { state, before, limit }) => storage.trackers({ ownerId, state, before, limit }),
    show: (ownerId, trackerId, { upTo, limit }) => storage.tracker({ ownerId, trackerId, upTo, limit }),
    async create({ ownerId, requestId, ...fields }) {
      checkFields(fields);
      const request = { ownerId, requestId: ownersRequest(requestId), ...fields };
      return storage.createTracker({ ...request, addedByAgent: false, now: clock.now() });
    },
    async edit({ ownerId, trackerId, was, fields }) {
      checkFields(fields);
      const edited = await storage.editTracker({ ownerId, trackerId, was, fields });
      if (edited === undefined) throw notFound('tracker');
      return edited.won;
    },
    async setStatus(ownerId, trackerId, status) {
      const changed = await storage.setTrackerStatus({ ownerId, trackerId, status, now: clock.now() });
      if (changed === undefined) throw notFound('tracker');
    },
    async addNote({ ownerId, trackerId, requestId, note }) {
      check('note', trackerNoteText, note);
      const added = await storage.linkToTracker({
        ...{
          ownerId,
          trackerId,
          target: `note:${ownersRequest(requestId)}`,
          addedBy: 'owner',
          now: clock.now(),
        },
        content: { kind: 'note', note: bodyText(note) },
      });
      if (added === undefined) throw notFound('tracker');
    },
    unlink: (ownerId, trackerId, { linkId, createdAt }) =>
      storage.unlinkFromTracker({ ownerId, trackerId, linkId, createdAt }),
  };
}

/** Never the id of an agent's request. @throws ServiceError invalid_arguments */
function ownersRequest(requestId: string): string {
  if (!/^[\w-]{1,64}$/.test(requestId))
    throw invalidArgument('requestId', 'format', 'must be 1 to 64 letters, digits, _ or -');
  return `owner:${requestId}`;
}

/** @throws ServiceError invalid_arguments naming the field */
function checkFields({ title, keywords, dueOn }: TrackerFields): void {
  check('title', trackerTitle, title);
  check('keywords', trackerKeywords, keywords);
  if (dueOn !== null) check('due', trackerDue, dueOn);
}

function check(field: string, schema: z.ZodType<string>, value: string): void {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (issue !== undefined) throw invalidArgument(field, 'format', issue.message);
}

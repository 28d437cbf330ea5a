import type { TrackerLink } from './tracker-storage.ts';

/** What an owner links to a tracker by hand: messages and events. Strangers wrote their texts. */
export interface TrackerLinks {
  /**
   * Messages of one account in every folder, newest first: those with all of `words`, or, without words, those of the last
   * two weeks.
   * @param query  `words`: separated by spaces
   * @throws ServiceError not_found, upstream_mail_error, temporarily_unavailable
   */
  findMessages(
    ownerId: string,
    query: { accountId: number; words: string; limit: number },
  ): Promise<readonly LinkableMessage[]>;
  /**
   * Events of one account, from two weeks ago to two months ahead, earliest first. None if it has no calendar.
   * @throws as `findMessages`
   */
  findEvents(ownerId: string, accountId: number): Promise<readonly LinkableEvent[]>;
  /**
   * Links a message. An existing link stays unchanged.
   * @throws ServiceError invalid_message_id, not_found (the tracker, the message), upstream_mail_error,
   *   temporarily_unavailable
   */
  linkMessage(link: { ownerId: string; trackerId: number; messageId: string }): Promise<TrackerLink>;
  /** Links an event. @throws ServiceError not_found (the tracker, the event), upstream_mail_error */
  linkEvent(link: { ownerId: string; trackerId: number; eventId: number }): Promise<TrackerLink>;
}

export interface LinkableMessage {
  /** As `get_email` takes it. */
  readonly id: string;
  readonly from: string;
  readonly subject: string;
  /** The Date of the message, as it wrote it, or when it was received. */
  readonly date: string;
}

export interface LinkableEvent {
  readonly eventId: number;
  readonly title: string;
  readonly start: Date;
}

import type { eventNumberStatements } from '../../core/calendar/event-number-storage.ts';
import type { Texts } from './dialect.ts';

export const EVENT_NUMBER_TEXTS: Texts<typeof eventNumberStatements> = {
  last_event_number: ({ prefix }) =>
    `SELECT coalesce(max(event_id), 0) AS last_id FROM ${prefix}event_numbers WHERE owner_id = @owner_id`,
};

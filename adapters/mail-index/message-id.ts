/**
 * The ids of the messages in an index: the second in which a message was received, and a number among those of that second.
 * They are whole numbers below 2^53 until the year 2106.
 */

/** How many messages of one second there may be. */
export const SECOND_IDS = 2 ** 20;

/** The first id of the second. */
export function idBegin(receivedMs: number): number {
  return Math.max(0, Math.floor(receivedMs / 1000)) * SECOND_IDS;
}

/** The first id of the second that an id belongs to. */
export function beginOf(id: number): number {
  return id - (id % SECOND_IDS);
}

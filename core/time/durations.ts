/** Milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
/** 24 hours; a civil day in a time zone can be shorter or longer. */
export const DAY_MS = 24 * HOUR_MS;

/** The latest instant that a Date can have. */
export const FAR_MS = 8_640_000_000_000_000;

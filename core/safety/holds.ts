import { SAFETY_RULES, type SafetyHold } from './safety-filter.ts';

/** Holds: what turns a write that may run at once into one that waits. Source: DESIGN, holds. */

/** Every hold but those of the safety filter, with the words that the owner is shown. The agent is not told. */
const HOLDS = {
  mode_approval: 'This key asks before every action of this kind.',
  first_time_recipient: 'It goes to somebody to whom you have never written from this account.',
  recipient_lookup_failed: 'It could not be looked up whether you have written to everybody whom it goes to.',
  send_limit: 'This key has sent more in a short time than it may without asking.',
  likely_repeat: 'The same was already sent or asked for a short time ago.',
  several_messages: 'This key may change only one message at a time without asking.',
  server_may_write: 'Your calendar server may write to the organizer of the event that you do not come.',
  shared_calendar: 'It changes a calendar that is not yours alone: others get at what is in it.',
  calendar_access_unknown: 'It could not be found out whether the calendar that it changes is yours alone.',
  into_sent_or_drafts:
    'It would move messages into a folder that is, or looks like, Sent or Drafts, where they could pass for your own.',
} as const;

export type Hold = keyof typeof HOLDS | SafetyHold;

const WORDS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(HOLDS),
  ...SAFETY_RULES.map(({ name, title }) => [name, title] as const),
]);

/** Returns those reasons of a request that are findings about it. That its key always asks is not one. */
export function findingsIn(reasons: readonly string[]): string[] {
  return reasons.filter((name) => name !== 'mode_approval');
}

/** What the owner is shown for a hold. One of an older version is shown by its name. */
export function holdText(name: string): string {
  return WORDS.get(name) ?? name;
}

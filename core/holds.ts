import { MailError } from './ports/mail.ts';
import type { Account } from './ports/storage.ts';
import { SAFETY_RULES, type SafetyHold } from './safety-filter.ts';
import { normalAddress } from './schema.ts';
import { writtenTo } from './sent-evidence.ts';
import type { CallContext } from './tools/define-tool.ts';

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

/** What the owner is shown for a hold. One of an older version is shown by its name. */
export function holdText(name: string): string {
  return WORDS.get(name) ?? name;
}

/**
 * Looks the recipients up among those that the account has written to: those that we know, then the Sent folder.
 * What is found there is kept.
 */
export async function recipientHolds(
  context: CallContext,
  account: Account,
  recipients: readonly string[],
): Promise<Hold[]> {
  const { storage, log } = context.ports;
  const { ownerId } = context.owner;
  const wanted = recipients.map(normalAddress);
  const known = await storage.knownRecipients(ownerId, account.accountId, wanted);
  const unknown = wanted.filter((address) => !known.has(address));
  if (unknown.length === 0) return [];
  try {
    const written = await writtenTo(context.ports, { account, call: context.mailCall(account) }, unknown);
    const found = unknown.filter((address) => written.has(address));
    if (found.length > 0) await storage.rememberRecipients(ownerId, account.accountId, found, context.now);
    return found.length === unknown.length ? [] : ['first_time_recipient'];
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.warn('recipients could not be looked up', { account: account.accountId, code: error.code });
    return ['recipient_lookup_failed'];
  }
}

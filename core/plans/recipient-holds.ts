import { writtenTo } from '../accounts/sent-evidence.ts';
import type { CallContext } from '../call/context.ts';
import { normalAddress } from '../contract/schema.ts';
import { MailError } from '../ports/mail.ts';
import type { Account } from '../ports/storage.ts';
import type { Hold } from '../safety/holds.ts';

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

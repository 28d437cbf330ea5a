import { writtenTo } from '../accounts/sent-evidence.ts';
import type { CallContext } from '../call/context.ts';
import { normalAddress } from '../contract/schema.ts';
import type { Account } from '../ports/account.ts';
import { MailError } from '../ports/mail.ts';
import type { Hold } from '../safety/holds.ts';

/**
 * Checks which recipients the account has written to before: first among the known recipients, then in the Sent
 * folder. Recipients found there become known.
 */
export async function recipientHolds(
  context: CallContext,
  account: Account,
  recipients: readonly string[],
): Promise<Hold[]> {
  const { storage, log } = context.ports;
  const { ownerId } = context.owner;
  const addresses = recipients.map(normalAddress);
  const known = await storage.knownRecipients(ownerId, account.accountId, addresses);
  const unknown = addresses.filter((address) => !known.has(address));
  if (unknown.length === 0) return [];
  try {
    const written = await writtenTo(context.ports, { account, call: context.mailCall(account) }, unknown);
    if (written.length > 0)
      await storage.rememberRecipients(ownerId, account.accountId, written, context.now);
    return unknown.every((address) => written.includes(address)) ? [] : ['first_time_recipient'];
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.warn('recipients could not be looked up', { account: account.accountId, code: error.code });
    return ['recipient_lookup_failed'];
  }
}

import { normalAddress } from '../contract/schema.ts';
import type { MailAddress } from '../mail/address.ts';
import { type Authentication, authenticationOf } from '../mail/authentication-results.ts';
import type { MessageRow } from '../mail/message-row.ts';
import type { Account } from '../ports/account.ts';
import type { Finding } from '../safety/finding.ts';
import { shortened } from '../text/shortened.ts';

/** Who sent a message, and whether that is proven. */

/** The address in its From. Empty if there is none, or several: nobody can say which of them wrote it. */
export function senderIn(from: readonly MailAddress[]): string {
  const [sender, ...others] = from;
  return sender === undefined || others.length > 0 ? '' : normalAddress(sender.address);
}

const NAME_CHARS = 120;

/** Whether the account's own server proves the sender. @param sender  as `senderIn` returns it */
export function authenticationIn(
  { authservId }: Pick<Account, 'authservId'>,
  sender: string,
  { receiverResults = [] }: Pick<MessageRow, 'receiverResults'>,
): Authentication {
  return authenticationOf(sender, receiverResults, authservId);
}

/** What the owner should know of the sender of a message that a write answers or forwards. */
export function senderFindings(
  account: Pick<Account, 'authservId'>,
  from: readonly MailAddress[],
  row: Pick<MessageRow, 'receiverResults'>,
): Finding[] {
  const sender = senderIn(from);
  const authentication = authenticationIn(account, sender, row);
  // Of an account without results, there is nothing to say.
  if (account.authservId === null || sender === '' || authentication === 'pass') return [];
  const severity = authentication === 'fail' ? 'amber' : 'info';
  return [{ rule: 'sender_not_proven', severity, marks: [], sender: shortened(sender, NAME_CHARS) }];
}

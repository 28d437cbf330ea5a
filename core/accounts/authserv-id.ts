import { authservIdIn, SAMPLE } from '../mail/authentication-results.ts';
import { messageRow } from '../mail/message-row.ts';
import type { MailCall } from '../ports/mail.ts';
import type { MailReading } from '../ports/mail-reading.ts';

/**
 * The name under which the server of an account writes results, as the newest messages of its inbox show it.
 * @throws MailError
 */
export async function authservIdOf(
  mail: Pick<MailReading, 'list' | 'row'>,
  call: MailCall,
): Promise<string | undefined> {
  const { rows } = await mail.list(call, {
    path: 'INBOX',
    unread: false,
    order: 'date',
    after: undefined,
    limit: SAMPLE,
  });
  const messages = [];
  for (const { place } of rows) {
    const listed = await mail.row(call, place);
    if (listed === undefined) continue;
    const { from, receiverResults = [] } = messageRow(listed);
    messages.push({ from, results: receiverResults });
  }
  return authservIdIn(messages);
}

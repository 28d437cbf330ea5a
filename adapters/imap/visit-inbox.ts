import { type MailCall, MailError } from '../../core/ports/mail.ts';
import type { InboxVisit } from '../../core/ports/mail-watching.ts';
import { withinCall } from '../remote/time-limit.ts';
import type { AccountConnections } from './account-connections.ts';
import { arrivalsIn, uidNextOf } from './arrivals.ts';
import { inFolder } from './session.ts';

/** Visits the inbox once. Each command leases a connection for itself, so that the visit may call for the account. */
export async function visitInbox(
  connections: AccountConnections,
  call: MailCall,
  visit: InboxVisit,
): Promise<void> {
  const { uidValidity, uidNext } = await withinCall(call, (limit) =>
    inFolder(connections, { path: 'INBOX' }, limit, async (folder) => ({
      uidValidity: folder.uidValidity,
      uidNext: await uidNextOf(folder),
    })),
  );
  await visit({
    uidValidity,
    uidNext,
    arrivals: (uid, most) =>
      withinCall(call, (limit) =>
        inFolder(connections, { path: 'INBOX', uidValidity }, limit, async (folder) => {
          if (folder.uidValidity !== uidValidity) throw new MailError('not_found', 'the inbox was replaced');
          return arrivalsIn(folder, uid, most);
        }),
      ),
  });
}

import type { MessagePlace } from '../../core/mail/listed-message.ts';
import { MailError, type Start } from '../../core/ports/mail.ts';
import { beginChange } from './begin-change.ts';
import { change, type OpenFolder } from './session.ts';

/**
 * Moves the message into the existing folder `to`. If the server has no MOVE, copies it and removes the
 * original. The removal needs UIDPLUS, because a plain EXPUNGE also removes messages that others have marked.
 * @throws MailError as documented for `move` of the Mail port
 */
export async function moveMessage(
  folder: OpenFolder,
  place: MessagePlace,
  to: string,
  start: Start,
  limit: AbortSignal,
): Promise<void> {
  const { client } = folder;
  await beginChange(folder, place, start, limit);
  if (to === place.path) return;
  const range = String(place.uid);
  if (client.capabilities.has('MOVE')) {
    const moved = await change(client, () => client.messageMove(range, to, { uid: true }));
    if (moved === undefined) throw refused();
    return;
  }
  const copied = await change(client, () => client.messageCopy(range, to, { uid: true }));
  if (copied === undefined) throw refused();
  const removed = await change(client, () =>
    client.capabilities.has('UIDPLUS')
      ? client.messageDelete(range, { uid: true })
      : client.messageFlagsAdd(range, ['\\Deleted'], { uid: true }),
  );
  if (removed === undefined) {
    throw new MailError('outcome_unknown', 'the message was copied, but the original could not be removed');
  }
}

function refused(): MailError {
  return new MailError('refused', 'the IMAP server did not move the message');
}

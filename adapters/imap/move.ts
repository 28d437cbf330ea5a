import type { ImapFlow } from 'imapflow';
import type { ListedMessage, MessagePlace } from '../../core/mail/listed-message.ts';
import { MailError, type Start } from '../../core/ports/mail.ts';
import { beginChange } from './begin-change.ts';
import { copyMessage, isStillThere, namesCopy, showsCopy, uidNextIn } from './copied.ts';
import { change, type OpenFolder } from './session.ts';

/**
 * Moves the message into the existing folder `to`. If the server has no MOVE, copies it and removes the
 * original. The removal needs UIDPLUS, because a plain EXPUNGE also removes messages that others have marked.
 * An OK of the server is not enough: there must be a sign that the message is in the other folder, before the original is
 * removed too.
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
  const isHere = to === place.path;
  const hasMove = client.capabilities.has('MOVE');
  const uidNext = isHere || hasMove ? undefined : await uidNextIn(client, to);
  const message = await beginChange(folder, place, start, limit);
  if (isHere) return;
  if (hasMove) {
    await moveAtOnce(client, message, to);
    return;
  }
  await copyMessage(folder, message, to, uidNext);
  await removeOriginal(client, message);
}

async function moveAtOnce(client: ImapFlow, message: ListedMessage, to: string): Promise<void> {
  const { result: moved, hasRemoved } = await removing(client, () =>
    client.messageMove(String(message.place.uid), to, { uid: true }),
  );
  if (moved === undefined) throw new MailError('refused', 'the IMAP server did not move the message');
  if (!hasRemoved && (await isStillThere(client, message))) {
    throw new MailError('outcome_unknown', 'the IMAP server reported a move, but the message is still there');
  }
  if (!namesCopy(moved, message) && !(await showsCopy(client, message, to, 1))) {
    throw new MailError('outcome_unknown', 'the IMAP server reported a move, but does not show the message');
  }
}

async function removeOriginal(client: ImapFlow, message: ListedMessage): Promise<void> {
  const range = String(message.place.uid);
  const { result: removed, hasRemoved } = await removing(client, () =>
    client.capabilities.has('UIDPLUS')
      ? client.messageDelete(range, { uid: true })
      : client.messageFlagsAdd(range, ['\\Deleted'], { uid: true }),
  );
  if (removed === undefined || (!hasRemoved && (await isStillThere(client, message)))) {
    throw new MailError('outcome_unknown', 'the message was copied, but the original could not be removed');
  }
}

/** Runs a command that removes a message. @returns its result as `change` does, and whether the server reported a removal */
async function removing<T>(
  client: ImapFlow,
  command: () => Promise<T | false>,
): Promise<{ readonly result: T | undefined; readonly hasRemoved: boolean }> {
  let hasRemoved = false;
  const onRemoval = () => {
    hasRemoved = true;
  };
  client.on('expunge', onRemoval);
  try {
    return { result: await change(client, command), hasRemoved };
  } finally {
    client.off('expunge', onRemoval);
  }
}

import type { ImapFlow } from 'imapflow';
import type { MailFlag, MessagePlace } from '../../core/mail/listed-message.ts';
import { MailError, type Start } from '../../core/ports/mail.ts';
import { beginChange } from './begin-change.ts';
import { FLAG_NAMES, flagsOf } from './rows.ts';
import { change, type OpenFolder } from './session.ts';

/**
 * @returns whether the server now shows the flag as requested @throws MailError as documented for `setFlag`
 * of the Mail port
 */
export async function setFlag(
  folder: OpenFolder,
  place: MessagePlace,
  flag: MailFlag,
  on: boolean,
  start: Start,
  limit: AbortSignal,
): Promise<boolean> {
  const { client } = folder;
  await beginChange(folder, place, start, limit);
  const range = String(place.uid);
  const names = [FLAG_NAMES[flag]];
  await change(client, () =>
    on
      ? client.messageFlagsAdd(range, names, { uid: true })
      : client.messageFlagsRemove(range, names, { uid: true }),
  );
  return isShown(client, range, flag, on);
}

/** A server may accept the command and not store the flag. */
async function isShown(client: ImapFlow, range: string, flag: MailFlag, on: boolean): Promise<boolean> {
  try {
    const message = await client.fetchOne(range, { flags: true }, { uid: true });
    return message !== false && flagsOf(message.flags ?? new Set()).has(flag) === on;
  } catch (error) {
    throw new MailError('outcome_unknown', 'the IMAP server did not report whether it stored the flag', {
      cause: error,
    });
  }
}

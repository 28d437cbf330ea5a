import type { ImapFlow } from 'imapflow';
import type { MailFolder } from '../../core/folders/folder.ts';
import type { MessagePlace } from '../../core/mail/listed-message.ts';
import { MailError, type Start } from '../../core/ports/mail.ts';
import type { Mail } from '../../core/ports/ports.ts';
import { beginChange } from './begin-change.ts';
import { copyMessage, uidNextIn } from './copied.ts';
import { createFolder, findFolder, isGmail } from './folders.ts';
import { hasFlag } from './has-flag.ts';
import { change, type OpenFolder } from './session.ts';

/** @returns how it was done @throws MailError as documented for `label` of the Mail port */
export async function labelMessage(
  folder: OpenFolder,
  folders: readonly MailFolder[],
  place: MessagePlace,
  { name, mayCopyInto }: Parameters<Mail['label']>[2],
  start: Start,
  limit: AbortSignal,
): Promise<'keyword' | 'gmail_label' | 'copy'> {
  const { client, mailbox } = folder;
  // Labels with a backslash are the server's own: on Gmail, adding \Trash as a label would delete the
  // message.
  if (name.startsWith('\\')) throw new MailError('refused', 'this label is not allowed');
  const message = await beginChange(folder, place, start, limit);
  const range = String(place.uid);
  if (isGmail(client)) {
    const options = { uid: true, useLabels: true };
    const done = await change(client, () => client.messageFlagsAdd(range, [name], options));
    if (done === undefined) throw new MailError('refused', 'the IMAP server did not store the label');
    return 'gmail_label';
  }
  if (mailbox.permanentFlags?.has('\\*') === true && isKeyword(name)) {
    await change(client, () => client.messageFlagsAdd(range, [name], { uid: true }));
    if (await isKept(client, range, name)) return 'keyword';
  }
  const path = findFolder(client, folders, name)?.path ?? (await createFolder(client, name));
  if (path === place.path) return 'copy';
  if (!mayCopyInto(path)) throw new MailError('refused', 'a folder of that name has a special purpose');
  await copyMessage(folder, message, path, await uidNextIn(client, path));
  return 'copy';
}

/** An atom (RFC 9051, 9). Names with a dollar sign are registered and have a meaning for other programs. */
function isKeyword(label: string): boolean {
  return /^[!#&'+,\-./0-9:;<=>?@A-Z^_`a-z|}~]+$/.test(label);
}

/** A server may accept the command and not store the keyword. */
async function isKept(client: ImapFlow, range: string, label: string): Promise<boolean> {
  try {
    const message = await client.fetchOne(range, { flags: true }, { uid: true });
    return message !== false && hasFlag(message.flags, label.toLowerCase());
  } catch (error) {
    throw new MailError('outcome_unknown', 'the IMAP server did not report whether it stored the label', {
      cause: error,
    });
  }
}

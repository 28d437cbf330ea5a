import { attachmentOf, parseMessage, shownFields } from '../../core/mime/parse.ts';
import type { BoundedText } from './bounded-text.ts';
import { type CompoundFile, openCompoundFile } from './compound-file.ts';
import { isCompound } from './document-type.ts';
import { NoText } from './no-text.ts';
import { OUTLOOK, outlookMessage } from './outlook-message.ts';

/** The limits of messages in messages: how deep, and how many in all. Others are only named. */
const MAX_DEPTH = 5;
const MAX_MESSAGES = 50;

/** A message as it is written out. */
interface Shown {
  /** Empty fields are left out. */
  readonly fields: Readonly<Record<string, string>>;
  readonly text: string;
  readonly attachments: readonly {
    readonly name: string;
    readonly mime: string;
    /** Undefined unless it is a message itself. */
    inner(): Promise<Shown | undefined>;
  }[];
}

/**
 * Extracts a message within a message: its header as shown, its text, its attachments, and the messages in
 * it.
 */
export async function messageText(bytes: Uint8Array, out: BoundedText): Promise<void> {
  await write(await mimeMessage(bytes), out, 1, { left: MAX_MESSAGES });
}

/** The same for a message that Outlook saved. */
export async function outlookText(file: CompoundFile, out: BoundedText): Promise<void> {
  await write(savedMessage(file, 'file'), out, 1, { left: MAX_MESSAGES });
}

async function write(
  message: Shown,
  out: BoundedText,
  depth: number,
  messages: { left: number },
): Promise<void> {
  messages.left -= 1;
  for (const [name, value] of Object.entries(message.fields))
    if (value !== '') out.write(`${name}: ${value}\n`);
  out.write(`\n${message.text}\n`);
  for (const { name, mime, inner } of message.attachments) {
    out.write(`\n[Attachment: ${name}, ${mime}]`);
    if (depth === MAX_DEPTH || messages.left === 0 || out.full) continue;
    const shown = await readInner(inner, out);
    if (shown === undefined) continue;
    out.write('\n');
    await write(shown, out, depth + 1, messages);
  }
}

async function readInner(
  inner: () => Promise<Shown | undefined>,
  out: BoundedText,
): Promise<Shown | undefined> {
  try {
    return await inner();
  } catch (error) {
    // A damaged message does not affect the one that carries it.
    if (!(error instanceof NoText)) throw error;
    out.incomplete();
    return undefined;
  }
}

async function mimeMessage(bytes: Uint8Array): Promise<Shown> {
  const { headers, text, attachments } = await parseMessage(bytes, false);
  return {
    fields: shownFields(headers),
    text,
    attachments: attachments.map(({ index, name, mime }) => ({
      name,
      mime,
      inner: () =>
        innerMessage({ name, mime }, () => attachmentOf(bytes, index, false)?.bytes ?? new Uint8Array()),
    })),
  };
}

function savedMessage(storage: CompoundFile, place: 'file' | 'attachment'): Shown {
  const { fields, text, attachments } = outlookMessage(storage, place);
  return {
    fields,
    text: text(),
    attachments: attachments.map(({ name, mime, message, bytes }) => ({
      name,
      mime,
      inner: async () =>
        message === undefined ? innerMessage({ name, mime }, bytes) : savedMessage(message, 'attachment'),
    })),
  };
}

async function innerMessage(
  { name, mime }: { readonly name: string; readonly mime: string },
  bytes: () => Uint8Array,
): Promise<Shown | undefined> {
  if (mime === 'message/rfc822' || /\.eml$/i.test(name)) return mimeMessage(bytes());
  if (mime !== 'application/vnd.ms-outlook' && !/\.msg$/i.test(name)) return undefined;
  const content = bytes();
  if (!isCompound(content)) return undefined;
  const file = openCompoundFile(content);
  return file.has(OUTLOOK) ? savedMessage(file, 'file') : undefined;
}

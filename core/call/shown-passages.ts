import * as z from 'zod';
import type { ReadMessage } from '../accounts/read-message.ts';
import { normalAddress } from '../contract/schema.ts';
import type { FolderRoles } from '../folders/roles.ts';
import type { MailAddress } from '../mail/address.ts';
import { carriedWords } from '../mail/carried-words.ts';
import type { MessageRow } from '../mail/message-row.ts';
import { headOf } from '../mail/row-text.ts';
import type { Account } from '../ports/account.ts';
import type { ShownPassage } from '../provenance/read-record.ts';
import { isWrittenByProgram } from '../provenance/written-id.ts';
import { authenticationIn, senderIn } from './message-sender.ts';
import { forwardLeft, type Outcome } from './outcome.ts';

/** What a call showed of a message, by the person who wrote it. */

type ReadRow = Pick<
  MessageRow,
  'from' | 'subject' | 'place' | 'internalDate' | 'messageId' | 'receiverResults' | 'hasRequest'
>;

interface ReadMessageFacts {
  readonly id: string;
  readonly account: Pick<Account, 'email' | 'authservId'> & { readonly folderRoles: FolderRoles | null };
  readonly row: ReadRow;
}

/** A row of a list: sender and subject, and what else it shows. */
export function listedPassage(message: ReadMessageFacts, text = ''): ShownPassage {
  const { row } = message;
  return { ...sourceOf(message, authorOf(row.from)), isListed: true, head: headOf(row), text };
}

/** The text of a message. @param senders  the addresses of its From */
export function messagePassage(
  message: ReadMessageFacts,
  senders: readonly MailAddress[],
  { body: { text }, said }: Pick<ReadMessage, 'body' | 'said'>,
): ShownPassage {
  const { row } = message;
  return {
    ...sourceOf(message, senderIn(senders)),
    head: headOf(row),
    text,
    ...(said === undefined ? {} : { said }),
  };
}

/** A message that was read: its text, and what else its details show. */
export function messagePassages(message: ReadMessageFacts, read: ReadMessage): ShownPassage[] {
  const text = messagePassage(message, read.headers.from, read);
  const words = carriedWords(read);
  if (words === '') return [text];
  return [text, { ...attachmentPassage(message, words), ...(read.carried && { said: read.carried }) }];
}

/** The text of an attachment. */
export function attachmentPassage(message: ReadMessageFacts, text: string): ShownPassage {
  return { ...sourceOf(message, authorOf(message.row.from)), origin: 'carried', text };
}

const withApprovals = z.looseObject({
  approval: z.unknown().optional(),
  approvals: z.array(z.unknown()).optional(),
});
const leftBehind = z.looseObject({ id: z.string(), result: forwardLeft });

/** The names of attachments that forwards left behind, as answers about their requests show them. */
export function leftBehindPassages(outcome: Outcome): ShownPassage[] {
  if (outcome.status === 'error' || outcome.status === 'pending_approval') return [];
  const { approval, approvals = [approval] } = withApprovals.safeParse(outcome.result).data ?? {};
  return approvals.flatMap((one) => {
    const shown = leftBehind.safeParse(one).data;
    if (shown === undefined) return [];
    const names = shown.result.not_sent;
    return [
      {
        kind: 'message',
        id: shown.id,
        title: names[0] ?? '',
        author: '',
        quoting: null,
        origin: 'carried',
        receivedMs: null,
        isListed: true,
        text: names.join('\n'),
      },
    ];
  });
}

/**
 * Only a message in Sent counts as the owner's own: anybody can put the owner's address into From. What a program wrote is
 * there too, and counts as nobody's word.
 */
function sourceOf({ id, account, row }: ReadMessageFacts, author: string): Omit<ShownPassage, 'text'> {
  const isSent = account.folderRoles?.sent.path === row.place.path && author === normalAddress(account.email);
  return {
    kind: 'message',
    id,
    title: row.subject,
    author,
    quoting: null,
    origin: !isSent ? 'person' : isWritten(row) ? 'record' : 'owner',
    receivedMs: row.internalDate.getTime(),
    ...(authenticationIn(account, author, row) === 'pass' && { isProven: true }),
    isListed: false,
  };
}

/** Whether a program wrote it. */
function isWritten({ messageId, hasRequest }: ReadRow): boolean {
  return hasRequest === true || isWrittenByProgram(messageId);
}

/** The address in a From as a row shows it. Empty if it has none, or several. */
function authorOf(from: string): string {
  const named = from.match(/<[^<>@]*@[^<>]*>/gu) ?? [];
  const [only = from] = named;
  const address = only.replace(/^<|>$/gu, '').trim();
  return named.length > 1 || !/^[^\s,;]+@[^\s,;@]+$/u.test(address) ? '' : normalAddress(address);
}

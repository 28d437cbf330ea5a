import * as z from 'zod';
import { REJECTION_REASONS, type Rejection, type RejectionReason } from '../approvals/approval.ts';
import { bodyText, invalidArgument, text } from '../contract/schema.ts';
import { sealNote } from '../execution/sealed-words.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { DecidedWhere } from './approval-views.ts';

export interface RejectOptions extends DecidedWhere {
  /** Default: `other` if there is a note, otherwise none. */
  readonly reason?: RejectionReason | undefined;
  /** A line for the agent, at most 500 characters. Empty: none. */
  readonly note?: string | undefined;
}

const NOTE_CHARS = 500;

const noteField = text({ min: 0, max: NOTE_CHARS, description: '' });
const reasonField = z.enum(REJECTION_REASONS);

/**
 * Checks and seals why the owner rejects a request.
 * @returns undefined if the owner gives no reason
 * @throws ServiceError invalid_arguments
 */
export function rejectionOf(
  keyring: Keyring,
  of: { readonly ownerId: string; readonly id: string },
  { reason, note = '' }: RejectOptions,
): Rejection | undefined {
  const checked = noteField.safeParse(note);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw invalidArgument('note', 'content', issue?.message ?? 'is not valid');
  }
  const words = bodyText(checked.data).trim();
  if (reason === undefined && words === '') return undefined;
  const known = reasonField.safeParse(reason ?? 'other');
  if (!known.success) {
    throw invalidArgument('reason', 'enum', `must be one of: ${REJECTION_REASONS.join(', ')}`);
  }
  return { reason: known.data, sealedNote: words === '' ? null : sealNote(keyring, of, words) };
}

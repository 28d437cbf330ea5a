import type { Mailbox } from '../accounts/mail-call.ts';
import type { MessageRow } from '../mail/message-row.ts';
import { MailError, type MailErrorCode } from '../ports/mail.ts';
import type { RunContext } from './action.ts';
import { type MessageTarget, placeOf } from './message-target.ts';

/** What actions on several messages share. */

/** The result of an action on messages. @typeParam E  the fields of a changed message */
export type Changed<E> = {
  readonly done: true;
  /** The word for the action. */
  readonly action: string;
  /** One per message, in the order of the plan. */
  readonly items: ChangedItem<E>[];
};

export type ChangedItem<E> = { readonly id: string; readonly account_id: number } & (
  | ({ readonly done: true } & E)
  | { readonly done: false; readonly code: string }
);

/**
 * Changes the targets one after the other, each at its place with its identity checked. Fails only if none of
 * them was changed.
 */
export async function changeEach<T extends MessageTarget, E extends object>(
  targets: readonly T[],
  run: RunContext,
  change: (mailbox: Mailbox, row: MessageRow, target: T) => Promise<E>,
): Promise<ChangedItem<E>[]> {
  const items: ChangedItem<E>[] = [];
  const failures: MailError[] = [];
  for (const target of targets) {
    try {
      const mailbox = await run.mailbox(target.account.accountId);
      const row = await placeOf(run.ports.mail, mailbox.call, target);
      if (row === undefined) throw new MailError('not_found', 'the message is no longer where it was');
      items.push({ ...named(target), ...(await change(mailbox, row, target)), done: true });
    } catch (error) {
      if (!(error instanceof MailError) || error.code === 'not_started') throw error;
      failures.push(error);
      items.push({ ...named(target), done: false, code: codeOf(error) });
    }
  }
  const [first] = failures;
  if (first !== undefined && failures.length === items.length) {
    // A change that may have been made counts most; then one that may still be made.
    const weightiest = (code: MailErrorCode) => failures.find((failure) => failure.code === code);
    throw weightiest('outcome_unknown') ?? weightiest('unavailable') ?? first;
  }
  return items;
}

/** Returns the ids of a message in results. */
export function named({ id, account }: MessageTarget): { readonly id: string; readonly account_id: number } {
  return { id, account_id: account.accountId };
}

/** Returns the error code of one message; a message that may have been changed has its own code. */
function codeOf({ code }: MailError): string {
  return code === 'not_found' || code === 'outcome_unknown' ? code : 'upstream_mail_error';
}

import type { MailFlag, MessagePlace } from '../mail/listed-message.ts';
import type { MailCall, Start } from './mail.ts';

/** Changes to a mailbox. `start` is awaited immediately before the command that changes something. */
export interface MailChanging {
  /**
   * Sets or removes a flag on the message at `place`, after `start`. Safe to repeat.
   * @returns whether the server now shows the flag as requested
   * @throws MailError `not_found` if the place now has another message (the uidValidity changed) or none (no such uid)
   */
  setFlag(call: MailCall, place: MessagePlace, flag: MailFlag, on: boolean, start: Start): Promise<boolean>;

  /** Creates the folder if it does not exist. @returns its path, below the server's prefix if it has one */
  createFolder(call: MailCall, name: string): Promise<string>;

  /**
   * Moves the message at `place` into the folder `to`, after `start`. If the server cannot move, copies the message and
   * removes the original, but only if this removes no other message (RFC 4315 UID EXPUNGE). Otherwise the original
   * is only marked \Deleted. Nothing is removed before there is a sign of the copy.
   * @throws MailError `not_found` if the message or the folder does not exist; `outcome_unknown` if it may have moved, or the
   *   server says that it moved and does not show it
   */
  move(call: MailCall, place: MessagePlace, to: string, start: Start): Promise<void>;

  /**
   * Puts a label on the message, after `start`: an IMAP keyword if the server keeps them, a Gmail label on Gmail,
   * otherwise a copy in the folder of that name, which is created if it is missing.
   * @param label `mayCopyInto` is called before the copy, with the server's own path of the folder
   * @returns the method used
   * @throws MailError `refused` if `mayCopyInto` returns false; `outcome_unknown` if the server says that it copied and shows
   *   no copy
   */
  label(
    call: MailCall,
    place: MessagePlace,
    label: { readonly name: string; mayCopyInto(path: string): boolean },
    start: Start,
  ): Promise<'keyword' | 'gmail_label' | 'copy'>;
}

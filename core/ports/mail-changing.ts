import type { MailFlag, MessagePlace } from '../mail/listed-message.ts';
import type { MailCall, Start } from './mail.ts';

/** Changing a mailbox. `start` is awaited immediately before the command that changes something. */
export interface MailChanging {
  /**
   * Sets or removes a flag on the message at `place`, after `start`. Safe to repeat.
   * @returns whether the server now shows the flag as requested
   * @throws MailError `not_found` when the message there is not `place`'s (the uidValidity changed, no such uid)
   */
  setFlag(call: MailCall, place: MessagePlace, flag: MailFlag, on: boolean, start: Start): Promise<boolean>;

  /** Creates the folder unless it is there. @returns its path, below the server's prefix if it has one */
  makeFolder(call: MailCall, name: string): Promise<string>;

  /**
   * Moves the message at `place` into the folder `to`, after `start`. A server that cannot move copies it and removes
   * the original, but only if no other message is removed with it (RFC 4315 UID EXPUNGE); otherwise the original stays,
   * marked \Deleted.
   * @throws MailError `not_found` when the message or the folder is not there; `outcome_unknown` when it may have moved
   */
  move(call: MailCall, place: MessagePlace, to: string, start: Start): Promise<void>;

  /**
   * Puts a label on the message, after `start`: an IMAP keyword where the server keeps them, a Gmail label on Gmail,
   * otherwise a copy into the folder of that name, which is created when it is missing.
   * @param label `mayCopyInto` is called before the copy, with the path that the server knows the folder by
   * @returns how it was done
   * @throws MailError `refused` when `mayCopyInto` returns false
   */
  label(
    call: MailCall,
    place: MessagePlace,
    label: { readonly name: string; mayCopyInto(path: string): boolean },
    start: Start,
  ): Promise<'keyword' | 'gmail_label' | 'copy'>;
}

import type { MailCall, Start } from './mail.ts';

/** Sending mail. Core composes the message; an adapter moves its bytes. */
export interface MailSending {
  /**
   * Hands a message to the server that sends it. `start` is awaited immediately before the first byte that
   * cannot be taken back; when it returns false the attempt ends without that byte and MailError `not_started` is
   * thrown. One refused recipient ends the whole send before its end: nobody gets it.
   * @throws MailError `unavailable` (nothing was sent; may be tried again), `refused`, `auth`,
   *   or `outcome_unknown` when the server may have taken it
   */
  transmit(call: MailCall, message: Outgoing, start: Start): Promise<void>;

  /**
   * Makes sure that the folder at `path` holds the message once: looks for its Message-ID first and appends it only
   * when it is not there (some servers save by themselves). Safe to repeat.
   * @throws MailError `not_found` when there is no such folder
   */
  saveSent(call: MailCall, path: string, message: Outgoing): Promise<void>;
}

/** A message to be sent. */
export interface Outgoing {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** The whole message (RFC 5322): it is sent and saved byte for byte. */
  readonly bytes: Uint8Array;
  /** Its Date: INTERNALDATE of the copy that is saved. */
  readonly date: Date;
  /** Its Message-ID, with angle brackets. */
  readonly messageId: string;
}

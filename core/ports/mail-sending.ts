import type { MailCall, Start } from './mail.ts';

/** Sending mail. Core composes the message; an adapter only moves its bytes. */
export interface MailSending {
  /**
   * Passes a message to the server that sends it. `start` is awaited immediately before the first byte that cannot be
   * taken back. If it returns false, the attempt ends without that byte and MailError `not_started` is thrown. If the
   * server refuses one recipient, the whole send stops before it completes: nobody receives the message.
   * @throws MailError `unavailable` (nothing was sent; may be tried again), `refused`, `auth`,
   * or `outcome_unknown` if the server may have accepted it
   */
  transmit(call: MailCall, message: Outgoing, start: Start): Promise<void>;

  /**
   * Makes sure that the folder at `path` contains the message once. Looks for its Message-ID first and appends the
   * message only if it is missing, because some servers save a copy by themselves, some of them seconds later. Safe to
   * repeat.
   * @throws MailError `not_found` if there is no such folder
   */
  saveSent(call: MailCall, path: string, message: Outgoing): Promise<void>;
}

/** An outgoing message. */
export interface Outgoing {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** The whole message (RFC 5322), sent and saved byte for byte. */
  readonly bytes: Uint8Array;
  /** Its Date, which becomes the INTERNALDATE of the saved copy. */
  readonly date: Date;
  /** Its Message-ID, with angle brackets. */
  readonly messageId: string;
}

/** One mailbox of a header field (RFC 5322, 3.4). `name` is empty if there is none. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

import type { MailCall } from './mail.ts';

/** The connections that an adapter holds open for accounts. */
export interface MailConnections {
  /** Connects and signs in, on both servers, and does nothing else: used before an account is saved. */
  verify(call: MailCall): Promise<void>;

  /** Ends every connection of the account (it was removed or its settings changed). */
  forget(ownerId: string, accountId: number): Promise<void>;

  /** Ends all connections. */
  close(): Promise<void>;
}

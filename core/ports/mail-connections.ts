import type { ServerRole } from './account-health.ts';
import type { MailCall } from './mail.ts';

/** The connections that an adapter keeps open for accounts. */
export interface MailConnections {
  /**
   * Connects and signs in, on both servers, or on `server`, and does nothing else. Used before an account is
   * saved, and to find out how it is doing.
   */
  verify(call: MailCall, server?: Exclude<ServerRole, 'calendar'>): Promise<void>;

  /** Closes every connection of the account, and ends its watches. Called when it is removed or its settings change. */
  forget(ownerId: string, accountId: number): Promise<void>;

  /** Closes all connections, and ends all watches. */
  close(): Promise<void>;
}

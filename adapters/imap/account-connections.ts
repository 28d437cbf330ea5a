import type { ImapFlow } from 'imapflow';
import { MailError, SignInWithdrawn, timedOut } from '../../core/ports/mail.ts';
import type { Reach } from '../remote/connect.ts';
import type { MailServer } from '../remote/mail-server.ts';
import type { SignInServer } from '../remote/sign-in.ts';
import { connectImap, newTraits } from './connection.ts';
import { keptFailure } from './failure.ts';

/**
 * Ends an idle connection before the server does (RFC 9051, 5.4: not before 30 min) or a router forgets it.
 */
const IDLE_MS = 9 * 60_000;
const FIRST_PAUSE_MS = 500;
/** For a server that did not answer, and for a refused password, because some servers lock accounts. */
const LONGEST_PAUSE_MS = { unavailable: 15_000, auth: 5 * 60_000 } as const;

/** The exclusive use of a connection until it is given back, once. */
export interface Lease {
  readonly client: ImapFlow;
  /** How long it was idle. Undefined: opened for this lease. */
  readonly idleMs: number | undefined;
  /**
   * Keeps the connection for a watch. Calls come first: when one of them needs this connection, because every other one
   * is kept too and no more can be opened, `onNeeded` is called, and must give it back.
   * @returns false if the connections of the account are too few for one to be kept
   */
  keep(onNeeded: () => void): boolean;
  /** A connection that has ended meanwhile is not used again. */
  giveBack(): void;
}

/** The connections of one account. */
export interface AccountConnections {
  /**
   * Leases a free connection: one with the folder `path` selected if possible, or one without a selected
   * folder if `path` is undefined. If none is free, opens a new one, or waits for the first that becomes
   * free.
   * After a failure to connect, calls within a growing pause get the same failure, and the server is left
   * alone.
   * @throws MailError
   */
  lease(path: string | undefined, limit: AbortSignal): Promise<Lease>;
  /** There is no connection, and nobody waits for one. */
  isIdle(): boolean;
  /** Ends all connections, including those in use. */
  close(): void;
}

interface Connection {
  readonly client: ImapFlow;
  busy: boolean;
  /** Undefined unless a watch keeps it. */
  onNeeded: (() => void) | undefined;
  idleSinceMs: number;
  idleTimer: NodeJS.Timeout | undefined;
}

/** @param server  called only when a connection must be opened */
export function accountConnections(
  maxConnections: number,
  server: () => Promise<MailServer & SignInServer>,
  reach: Reach,
): AccountConnections {
  /** The longest unused come first. */
  const connections = new Set<Connection>();
  const waiting = new Set<() => void>();
  const traits = newTraits();
  let connecting = 0;
  let closed = false;
  let failures = 0;
  let failed: { error: MailError; until: number } | undefined;

  function pickIdle(path: string | undefined): Connection | undefined {
    const idle = [...connections].filter(({ busy }) => !busy);
    const selected = idle.find(({ client }) => selectedPath(client) === path);
    if (selected !== undefined) return selected;
    // If there is room for another connection, a folder stays selected: the next call for it is cheaper.
    return mayConnect() ? idle.find(({ client }) => selectedPath(client) === undefined) : idle[0];
  }

  function mayConnect(): boolean {
    if (connections.size + connecting >= maxConnections) return false;
    // Some servers allow fewer connections than the limit here. Then the existing ones must suffice.
    return !(connections.size > 0 && pausing());
  }

  function pausing(): boolean {
    return failed !== undefined && performance.now() < failed.until;
  }

  async function connect(limit: AbortSignal): Promise<Connection> {
    if (failed !== undefined && pausing()) throw failed.error;
    connecting += 1;
    try {
      const client = await connectImap(await server(), reach, limit, traits);
      failures = 0;
      failed = undefined;
      const connection: Connection = {
        client,
        busy: true,
        onNeeded: undefined,
        idleSinceMs: 0,
        idleTimer: undefined,
      };
      if (closed) {
        client.close();
        throw ended();
      }
      connections.add(connection);
      client.on('close', () => drop(connection));
      return connection;
    } catch (error) {
      // An aborted call says nothing about the server, and neither does a sign-in that the provider withdrew.
      const isOfServer = !limit.aborted && !(error instanceof SignInWithdrawn);
      if (error instanceof MailError && isOfServer) remember(error);
      throw error;
    } finally {
      connecting -= 1;
      wakeOne();
    }
  }

  function remember(error: MailError): void {
    failures += 1;
    const longest = error.code === 'auth' ? LONGEST_PAUSE_MS.auth : LONGEST_PAUSE_MS.unavailable;
    failed = {
      error: keptFailure(error),
      until: performance.now() + Math.min(longest, FIRST_PAUSE_MS * 2 ** (failures - 1)),
    };
  }

  function drop(connection: Connection): void {
    clearTimeout(connection.idleTimer);
    connections.delete(connection);
    wakeOne();
  }

  function giveBack(connection: Connection): void {
    connection.busy = false;
    connection.onNeeded = undefined;
    if (!connection.client.usable) {
      connection.client.close();
      drop(connection);
      return;
    }
    connections.delete(connection);
    connections.add(connection);
    connection.idleSinceMs = performance.now();
    connection.idleTimer = setTimeout(() => end(connection), IDLE_MS);
    connection.idleTimer.unref();
    wakeOne();
  }

  function end(connection: Connection): void {
    connections.delete(connection);
    // If it cannot log out, it is already gone.
    connection.client.logout().catch(() => connection.client.close());
  }

  function leaseOf(connection: Connection, idleMs: number | undefined): Lease {
    return {
      client: connection.client,
      idleMs,
      keep(onNeeded) {
        const kept = [...connections].filter((one) => one.onNeeded !== undefined);
        if (kept.length + 1 >= maxConnections) return false;
        connection.onNeeded = onNeeded;
        // A call may have waited for this connection.
        wakeOne();
        return true;
      },
      giveBack: () => giveBack(connection),
    };
  }

  /** Takes a connection from a watch if calls have none. */
  function reclaimOne(): void {
    const all = [...connections];
    if (connecting === 0 && all.every(({ onNeeded }) => onNeeded !== undefined)) all[0]?.onNeeded?.();
  }

  function wakeOne(): void {
    const [wake] = waiting;
    wake?.();
  }

  /** Settles when a connection may have become free. */
  function freed(limit: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = () => {
        waiting.delete(wake);
        limit.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        waiting.delete(wake);
        reject(timedOut());
      };
      waiting.add(wake);
      limit.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async lease(path, limit) {
      for (;;) {
        if (closed) throw ended();
        if (limit.aborted) {
          // It may have been woken for a connection that it no longer takes.
          wakeOne();
          throw timedOut();
        }
        const idle = pickIdle(path);
        if (idle !== undefined) {
          clearTimeout(idle.idleTimer);
          idle.busy = true;
          return leaseOf(idle, performance.now() - idle.idleSinceMs);
        }
        if (mayConnect()) {
          const made = await connect(limit).catch((error: unknown) => {
            if (connections.size === 0 || !pausing()) throw error;
            return undefined;
          });
          if (made !== undefined) return leaseOf(made, undefined);
        } else {
          const free = freed(limit);
          reclaimOne();
          await free;
        }
      }
    },
    isIdle: () => connections.size === 0 && connecting === 0 && waiting.size === 0,
    close() {
      closed = true;
      for (const connection of [...connections]) {
        clearTimeout(connection.idleTimer);
        connection.client.close();
      }
      connections.clear();
      for (const wake of [...waiting]) wake();
    },
  };
}

function ended(): MailError {
  return new MailError('unavailable', 'the connections of this account were closed');
}

function selectedPath(client: ImapFlow): string | undefined {
  return client.mailbox === false ? undefined : client.mailbox.path;
}

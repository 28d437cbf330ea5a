import { Worker } from 'node:worker_threads';
import { sqliteDriverFile } from './driver.ts';
import { LOCK_WAIT_MS } from './lock-line.ts';

/** A thread that moves what a log holds into its database. The disk makes it wait, and nobody else. */
export interface Checkpoints {
  /**
   * `restart`: the log is written from its start again, unless a reader needs it. `truncate`: the log is emptied; a reader is
   * waited for, for at most `LOCK_WAIT_MS`, and then it is left.
   * @throws Error  the thread or the disk failed. The next call begins anew.
   */
  run(mode: 'restart' | 'truncate'): Promise<void>;
  /** Ends the thread, once it has closed the database. */
  close(): Promise<void>;
}

/** The thread takes some megabytes, and is ended when nothing needed it for so long. */
const IDLE_MS = 60_000;

/**
 * What can be done beside others is done first: for the rest, those who write wait. That is why a reader is not waited for
 * in SQLite, which keeps the lock meanwhile.
 */
const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { driver, file, waitMs } = workerData;
  const Database = require(driver);
  const db = new Database(file, { timeout: 2, fileMustExist: true });
  const never = new Int32Array(new SharedArrayBuffer(4));
  const checkpoint = (mode) => {
    try {
      return db.prepare('PRAGMA wal_checkpoint(' + mode + ')').get();
    } catch (cause) {
      if (String(cause.code).startsWith('SQLITE_BUSY')) return { busy: 1 };
      throw cause;
    }
  };
  const run = (mode) => {
    const { busy, log, checkpointed } = checkpoint('PASSIVE');
    if (mode === 'restart') {
      if (busy === 1 || log > checkpointed) checkpoint('RESTART');
      return;
    }
    for (const endMs = performance.now() + waitMs; checkpoint('TRUNCATE').busy === 1 && performance.now() < endMs; ) {
      Atomics.wait(never, 0, 0, 25);
    }
  };
  parentPort.on('message', (mode) => {
    if (mode === 'close') {
      db.close();
      parentPort.close();
      return;
    }
    run(mode);
    parentPort.postMessage('done');
  });
`;

/** @param file  of the database, which this process has open */
export function checkpointsOf(file: string): Checkpoints {
  let thread: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let idleTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function start(): Worker {
    const started = new Worker(PROGRAM, {
      eval: true,
      // The flags and settings of this process are its own.
      ...{ execArgv: [], env: {} },
      workerData: { driver: sqliteDriverFile(), file, waitMs: LOCK_WAIT_MS },
    });
    started.once('exit', () => {
      if (thread === started) thread = undefined;
    });
    // Who waits for it hears of it as well.
    started.on('error', () => undefined);
    return started;
  }

  /** Resolves once the thread has done it. Until then, it keeps the process alive. */
  function done(worker: Worker, mode: 'restart' | 'truncate'): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (settled: () => void) => {
        worker.off('message', onMessage).off('error', onError).off('exit', onExit).unref();
        settled();
      };
      const onMessage = () => settle(resolve);
      const onError = (cause: unknown) =>
        settle(() =>
          reject(new Error('The thread that shortens the log of the database failed.', { cause })),
        );
      const onExit = () => onError(new Error('It has ended.'));
      worker.on('message', onMessage).on('error', onError).on('exit', onExit).ref();
      worker.postMessage(mode);
    });
  }

  /** However the thread ends, the database is no longer open in it. */
  async function end(): Promise<void> {
    clearTimeout(idleTimer);
    const worker = thread;
    if (worker === undefined) return;
    thread = undefined;
    await new Promise<void>((resolve) => {
      worker.once('exit', () => resolve()).ref();
      worker.postMessage('close');
    });
  }

  async function run(mode: 'restart' | 'truncate'): Promise<void> {
    if (isClosed) throw new Error('The database was closed.');
    clearTimeout(idleTimer);
    thread ??= start();
    await done(thread, mode);
    idleTimer = setTimeout(() => void inTurn(end), IDLE_MS).unref();
  }

  /** One after the other. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  return {
    run: (mode) => inTurn(() => run(mode)),
    close() {
      isClosed = true;
      return inTurn(end);
    },
  };
}

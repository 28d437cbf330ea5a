import { Worker } from 'node:worker_threads';
import { checkOptions } from '../../core/contract/options.ts';
import type { MailIndex } from '../../core/ports/mail-index.ts';
import { installedWorker } from '../process/installed-worker.ts';
import { METHODS, type MethodAnswer, type MethodArguments, type MethodName, Report } from './messages.ts';

export interface SqliteIndexOptions {
  /** The file of the index. It and its folder are created if missing, for their owner alone. */
  readonly file: string;
  /** The bundled `worker.ts`, for a program that bundles this package. Default: the one in the installed package. */
  readonly workerFile?: string;
}

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * An index in a file of SQLite (FTS5), beside the database and not part of it: leave it out of backups, because it is
 * built again. A thread has it open, so that neither filling nor searching it makes other calls wait.
 */
export function sqliteIndex(options: SqliteIndexOptions): MailIndex {
  checkOptions('sqliteIndex', options, { file: ['required', 'string'], workerFile: ['optional', 'string'] });
  const waiting = new Map<number, Waiting>();
  let thread: Worker | undefined;
  let secretKey: Uint8Array | undefined;
  let last = 0;
  let isClosed = false;

  function fail(worker: Worker, error: Error): void {
    // One that failed ends, too, and another may have been started meanwhile.
    if (thread !== worker) return;
    thread = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  function started(): Worker {
    if (secretKey === undefined) throw new Error('The index was not opened.');
    const worker = new Worker(options.workerFile ?? installedWorker('mail-index'), {
      // The flags and settings of this process are its own.
      ...{ execArgv: [], env: {} },
      workerData: { file: options.file, secretKey },
    });
    const ended = (cause?: unknown) =>
      fail(worker, new Error('The thread of the index has ended.', { cause }));
    worker.on('error', ended);
    worker.on('exit', () => ended());
    worker.on('message', (message: unknown) => settle(worker, message));
    return worker;
  }

  function settle(worker: Worker, message: unknown): void {
    const report = Report.parse(message);
    const one = waiting.get(report.id);
    waiting.delete(report.id);
    // Only somebody who waits keeps the process alive.
    if (waiting.size === 0) worker.unref();
    if (report.kind === 'done') one?.resolve(report.answer);
    else one?.reject(new Error(report.reason));
  }

  async function run<Name extends MethodName>(
    name: Name,
    ...parameters: MethodArguments<Name>
  ): Promise<MethodAnswer<Name>> {
    if (isClosed) throw new Error('The index was closed.');
    // Only what is named there: an account may have more, which no thread can take.
    const given = METHODS[name].arguments.parse(parameters);
    thread ??= started();
    const worker = thread;
    last += 1;
    const id = last;
    const answer = await new Promise<unknown>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, name, arguments: given });
    });
    return METHODS[name].answer.parse(answer) as MethodAnswer<Name>;
  }

  return {
    async open(key) {
      secretKey = key;
    },
    accounts: () => run('accounts'),
    folders: (account) => run('folders', account),
    uids: (account, path) => run('uids', account, path),
    save: (account, change) => run('save', account, change),
    // Between two parts, others have their turn.
    async forgetFolder(account, path) {
      while (await run('forgetFolder', account, path));
    },
    async forgetAccount(account) {
      while (await run('forgetAccount', account));
    },
    fetched: (account, day) => run('fetched', account, day),
    addFetched: (account, day, bytes) => run('addFetched', account, day, bytes),
    size: (account) => run('size', account),
    search: (account, query) => run('search', account, query),
    conversation: (account, place) => run('conversation', account, place),
    async close() {
      if (thread !== undefined) await run('close').catch(() => undefined);
      isClosed = true;
    },
  };
}

import { parentPort, workerData } from 'node:worker_threads';
import { type IndexFile, indexFile } from './index-file.ts';
import { METHODS, type MethodArguments, type MethodName, Order, ThreadData } from './messages.ts';
import { eraseIndexFile, isDamaged } from './open-file.ts';

/** The thread that has the file of an index open. It is one thread, so it does one thing after another. */

type Work = {
  readonly [Name in MethodName]: (file: IndexFile, parameters: MethodArguments<Name>) => unknown;
};

const WORK: Work = {
  accounts: (file) => file.accounts(),
  folders: (file, [account]) => file.folders(account),
  uids: (file, [account, path]) => file.uids(account, path),
  save: (file, [account, change]) => file.save(account, change),
  forgetFolder: (file, [account, path]) => file.forgetFolder(account, path),
  forgetAccount: (file, [account]) => file.forgetAccount(account),
  fetched: (file, [account, day]) => file.fetched(account, day),
  addFetched: (file, [account, day, bytes]) => file.addFetched(account, day, bytes),
  size: (file, [account]) => file.size(account),
  search: (file, [account, query]) => file.search(account, query),
  conversation: (file, [account, place]) => file.conversation(account, place),
  close: (file) => file.close(),
};

const port = parentPort;
if (port === null) throw new Error('This file runs as a thread.');
const data = ThreadData.parse(workerData);
let opened: IndexFile | undefined;

function done<Name extends MethodName>(name: Name, given: readonly unknown[]): unknown {
  const parameters = METHODS[name].arguments.parse(given) as MethodArguments<Name>;
  opened ??= indexFile(data.file, data.secretKey);
  return WORK[name](opened, parameters);
}

/** What can be built again is not repaired. */
function eraseIfDamaged(error: unknown): void {
  if (!isDamaged(error)) return;
  opened?.close();
  opened = undefined;
  eraseIndexFile(data.file);
}

port.on('message', (message: unknown) => {
  const { id, name, arguments: given } = Order.parse(message);
  try {
    if (name === 'close' && opened === undefined) port.postMessage({ kind: 'done', id, answer: undefined });
    else port.postMessage({ kind: 'done', id, answer: done(name, given) });
  } catch (error) {
    eraseIfDamaged(error);
    port.postMessage({ kind: 'failed', id, reason: error instanceof Error ? error.message : String(error) });
  }
  if (name === 'close') port.close();
});

import { ServiceStoppedError } from '../contract/errors.ts';
import type { Storage } from '../ports/storage.ts';

/** From the creation of a service to the end of `stop`. */
export interface Life {
  readonly isStopping: boolean;
  /** @throws ServiceStoppedError if the service is stopping or stopped */
  check(): void;
  /** Lets `stop` wait for this work. */
  during<T>(work: Promise<T>): Promise<T>;
  /** From now on `check` throws. @returns resolves when all work of `during` has ended */
  stop(): Promise<void>;
  /** From now on every storage verb rejects with ServiceStoppedError. */
  close(): void;
  /** The service's storage, until `close`. */
  readonly storage: Storage;
}

export function createLife(storage: Storage): Life {
  const underWay = new Set<Promise<unknown>>();
  let isStopping = false;
  let isClosed = false;
  const refuse = () => Promise.reject(new ServiceStoppedError());
  return {
    get isStopping() {
      return isStopping;
    },
    check() {
      if (isStopping) throw new ServiceStoppedError();
    },
    async during(work) {
      underWay.add(work);
      try {
        return await work;
      } finally {
        underWay.delete(work);
      }
    },
    async stop() {
      isStopping = true;
      await Promise.allSettled(underWay);
    },
    close() {
      isClosed = true;
    },
    // Every call that reads or changes something needs storage, so all of them fail with the same error.
    storage: new Proxy(storage, {
      get: (verbs, name: keyof Storage) => (isClosed ? refuse : verbs[name]),
    }),
  };
}

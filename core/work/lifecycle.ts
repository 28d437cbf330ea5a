import { ServiceStoppedError } from '../contract/errors.ts';
import { unavailable } from '../contract/unavailable.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage.ts';
import { WAIT_MS, withinLimit } from './within-limit.ts';

/** From the creation of a service to the end of `stop`. */
export interface Lifecycle {
  readonly isStopping: boolean;
  /** @throws ServiceStoppedError if the service is stopping or stopped */
  check(): void;
  /** Lets `stop` wait for this work. */
  during<T>(work: Promise<T>): Promise<T>;
  /** From now on `check` throws. @returns resolves when all work of `during` has ended */
  stop(): Promise<void>;
  /**
   * From now on every storage verb rejects with ServiceStoppedError, every time limit is over, and nothing is repeated:
   * no timer keeps the process alive.
   */
  close(): void;
  /** The service's storage, until `close`. A verb that does not answer in time rejects with `temporarily_unavailable`. */
  readonly storage: Storage;
  /** The service's clock. After `close`, `every` does nothing and `after` throws ServiceStoppedError. */
  readonly clock: Clock;
}

export function createLifecycle(storage: Storage, clock: Clock): Lifecycle {
  const underWay = new Set<Promise<unknown>>();
  /** What `close` does to each timer. */
  const timers = new Set<() => void>();
  let isStopping = false;
  let isClosed = false;
  const ownClock: Clock = {
    now: () => clock.now(),
    every(ms, task) {
      if (isClosed) return () => undefined;
      const remove = clock.every(ms, task);
      const end = () => {
        timers.delete(end);
        remove();
      };
      timers.add(end);
      return end;
    },
    after(ms, task) {
      if (isClosed) throw new ServiceStoppedError();
      let remove = (): void => {};
      const end = () => {
        timers.delete(end);
        remove();
        task();
      };
      timers.add(end);
      remove = clock.after(ms, end);
      return () => {
        timers.delete(end);
        remove();
      };
    },
  };
  const notAnswered = (): never => {
    if (isClosed) throw new ServiceStoppedError();
    throw unavailable();
  };
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
      for (const end of timers) end();
    },
    // Every call that reads or changes something needs storage, so all of them fail with the same error.
    storage: new Proxy(storage, {
      get(verbs, name: keyof Storage) {
        const verb = verbs[name];
        if (Object.hasOwn(LISTENING, name)) return verb;
        return async (...args: unknown[]): Promise<unknown> => {
          if (isClosed) throw new ServiceStoppedError();
          const answer = async (): Promise<unknown> => Reflect.apply(verb, verbs, args);
          return withinLimit(ownClock, VERB, answer, notAnswered);
        };
      },
    }),
    clock: ownClock,
  };
}

/** The verbs that answer at once, because they only add a listener. */
const LISTENING: Readonly<Record<AnswersAtOnce, true>> = { onApprovalChange: true, onEvent: true };
type AnswersAtOnce = {
  [Name in keyof Storage]: Storage[Name] extends (...request: never[]) => Promise<unknown> ? never : Name;
}[keyof Storage];

/** The limit of each other verb. */
const VERB = { ms: WAIT_MS };

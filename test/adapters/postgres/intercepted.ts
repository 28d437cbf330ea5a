import pg from 'pg';

/**
 * From now on every statement that this process asks of Postgres goes through `answer`, which may ask it.
 * @returns what ends that
 */
export function interceptStatements(
  answer: (client: pg.Client, statement: unknown, ask: () => unknown) => unknown,
): () => void {
  const query: unknown = Reflect.get(pg.Client.prototype, 'query');
  if (typeof query !== 'function') throw new Error('the driver has no way to ask');
  Reflect.set(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]): unknown {
    return answer(this, args[0], () => Reflect.apply(query, this, args));
  });
  return () => {
    Reflect.set(pg.Client.prototype, 'query', query);
  };
}

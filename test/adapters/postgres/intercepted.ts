import pg from 'pg';

/**
 * Sends every statement of this process to `answer` instead of Postgres. `answer` may still send it.
 * @returns a function that ends the interception
 */
export function interceptStatements(
  answer: (client: pg.Client, statement: unknown, ask: () => unknown) => unknown,
): () => void {
  const query: unknown = Reflect.get(pg.Client.prototype, 'query');
  if (typeof query !== 'function') throw new Error('the driver has no query method');
  Reflect.set(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]): unknown {
    return answer(this, args[0], () => Reflect.apply(query, this, args));
  });
  return () => {
    Reflect.set(pg.Client.prototype, 'query', query);
  };
}

/** Returns an object with only these methods of `from`. */
export function pickMethods<T extends object, K extends keyof T & string>(
  from: T,
  names: readonly K[],
): Pick<T, K> {
  const methods = names.map((name) => {
    const method: unknown = from[name];
    if (typeof method !== 'function') throw new TypeError(`The port has no method ${name}`);
    return [name, (...args: unknown[]): unknown => Reflect.apply(method, from, args)];
  });
  return Object.fromEntries(methods) as Pick<T, K>;
}

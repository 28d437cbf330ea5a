/** Whether a value that comes from outside has a type. */
export type Check<T> = (value: unknown) => value is T;

export const isText: Check<string> = (value): value is string => typeof value === 'string';
export const isNumber: Check<number> = (value): value is number => typeof value === 'number';

export function isListOf<T>(isOne: Check<T>): Check<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(isOne);
}

/** Checks each field of an object. */
export function hasFields<T extends object>(
  checks: {
    readonly [Name in keyof T]-?: Check<T[Name]>;
  },
): Check<T> {
  return (value): value is T => {
    if (typeof value !== 'object' || value === null) return false;
    for (const name in checks) {
      if (!checks[name](Reflect.get(value, name))) return false;
    }
    return true;
  };
}

/** @throws Error if the text is not the JSON of such a value */
export function readJson<T>(text: unknown, isRight: Check<T>): T {
  const value: unknown = JSON.parse(String(text));
  if (!isRight(value)) throw new TypeError('unexpected JSON');
  return value;
}

/** The type of an option as `typeof` names it, and whether a caller has to pass it. */
export type OptionType = 'string' | 'number' | 'boolean' | 'function' | 'object';

/** A line for each option: the compiler finds one that is forgotten. */
export type OptionTypes<Options> = {
  readonly [Name in keyof Options]-?: readonly [
    Record<never, never> extends Pick<Options, Name> ? 'optional' : 'required',
    ...OptionType[],
  ];
};

/**
 * Checks the names and types of options, for callers whose compiler does not.
 * @param caller  the function that takes the options, as the caller wrote it
 * @throws Error naming the caller, the option and what it must be
 */
export function checkOptions<Options extends object>(
  caller: string,
  options: Options,
  types: OptionTypes<Options>,
): void {
  const wrong = (problem: string) => new Error(`${caller}: ${problem}.`);
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) throw wrong('the options must be an object');
  const values = new Map<string, unknown>(Object.entries(given));
  const known = Object.entries<readonly [string, ...OptionType[]]>(types);
  for (const name of values.keys()) {
    if (Object.hasOwn(types, name)) continue;
    throw wrong(`there is no option ${name}. The options are ${known.map(([each]) => each).join(', ')}`);
  }
  for (const [name, [need, ...expected]] of known) {
    const value = values.get(name);
    if (value === undefined || (need === 'required' && (value === null || value === ''))) {
      if (need === 'required') throw wrong(`the option ${name} is missing`);
    } else if (value === null || !expected.some((type) => typeof value === type)) {
      throw wrong(`the option ${name} must be ${expected.map(withArticle).join(' or ')}`);
    }
  }
}

function withArticle(type: OptionType): string {
  return type === 'object' ? 'an object' : `a ${type}`;
}

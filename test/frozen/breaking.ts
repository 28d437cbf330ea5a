/**
 * Finds what a change of a tool's input schema breaks for existing clients. Within v1, changes are additive
 * only: new tools, new optional arguments, wider limits.
 */

export interface FrozenTool {
  readonly name: string;
  readonly inputSchema: Schema;
}

export type Schema = Readonly<Record<string, unknown>>;

/**
 * Limits that a client may have used up to their edge: lower ones must not rise, upper ones must not fall.
 */
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
/** Keywords that do not affect which values are accepted. */
const WORDS = new Set(['description', 'title', 'examples', 'default', 'deprecated', '$comment']);
const KNOWN = new Set([
  ...LOWER,
  ...UPPER,
  ...['type', 'enum', 'const', 'pattern', 'format', 'uniqueItems', 'properties', 'required', 'items'],
  'additionalProperties',
]);

/**
 * @returns a sentence for each break, with the tool and the path of the argument; none for an additive change
 */
export function breaksOfTools(before: readonly FrozenTool[], after: readonly FrozenTool[]): string[] {
  const now = new Map(after.map((tool) => [tool.name, tool]));
  return before.flatMap(({ name, inputSchema }) => {
    const tool = now.get(name);
    return tool === undefined ? [`${name}: is gone`] : breaksOfSchema(inputSchema, tool.inputSchema, name);
  });
}

/** Finds breaks of a schema, which may accept more than before, never less. */
export function breaksOfSchema(before: Schema, after: Schema, at: string): string[] {
  return [
    ...bounds(before, after, at),
    ...types(before, after, at),
    ...values(before, after, at),
    ...texts(before, after, at),
    ...fields(before, after, at),
    ...items(before, after, at),
    ...unknown(before, after, at),
  ];
}

function bounds(before: Schema, after: Schema, at: string): string[] {
  const narrower = (keyword: string, worse: (was: number, is: number) => boolean): string[] => {
    const [was, is] = [before[keyword], after[keyword]];
    if (typeof is !== 'number' || (typeof was === 'number' && !worse(was, is))) return [];
    return [`${at}: ${keyword} ${typeof was === 'number' ? was : 'none'} became ${is}`];
  };
  return [
    ...LOWER.flatMap((keyword) => narrower(keyword, (was, is) => is > was)),
    ...UPPER.flatMap((keyword) => narrower(keyword, (was, is) => is < was)),
  ];
}

function types(before: Schema, after: Schema, at: string): string[] {
  if (after.type === undefined) return [];
  if (before.type === undefined) return [`${at}: is limited to the type ${JSON.stringify(after.type)}`];
  const is = new Set([after.type].flat());
  const lost = [before.type]
    .flat()
    .filter((type) => !is.has(type) && !(type === 'integer' && is.has('number')));
  return lost.map((type) => `${at}: no longer accepts the type ${String(type)}`);
}

function values(before: Schema, after: Schema, at: string): string[] {
  const listed = (schema: Schema): readonly unknown[] | undefined =>
    Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : undefined;
  const [was, is] = [listed(before), listed(after)];
  if (is === undefined) return [];
  if (was === undefined) return [`${at}: is limited to ${JSON.stringify(is)}`];
  const kept = new Set(is.map((value) => JSON.stringify(value)));
  return was
    .map((value) => JSON.stringify(value))
    .filter((value) => !kept.has(value))
    .map((value) => `${at}: no longer accepts ${value}`);
}

/**
 * Treats every change of a pattern as a break, because no check can tell whether one pattern accepts all that
 * another does.
 */
function texts(before: Schema, after: Schema, at: string): string[] {
  const changed = ['pattern', 'format'].flatMap((keyword) =>
    after[keyword] === undefined || after[keyword] === before[keyword]
      ? []
      : [`${at}: the ${keyword} became ${JSON.stringify(after[keyword])}`],
  );
  const unique = after.uniqueItems === true && before.uniqueItems !== true;
  return unique ? [...changed, `${at}: no longer accepts an item twice`] : changed;
}

function fields(before: Schema, after: Schema, at: string): string[] {
  const [was, is] = [objectAt(before, 'properties'), objectAt(after, 'properties')];
  const [needed, needs] = [namesIn(before.required), namesIn(after.required)];
  const closed = after.additionalProperties === false && before.additionalProperties !== false;
  return [
    ...Object.entries(was).flatMap(([name, schema]) => {
      const now = is[name];
      if (!isSchema(now)) return [`${at}.${name}: is gone`];
      return isSchema(schema) ? breaksOfSchema(schema, now, `${at}.${name}`) : [];
    }),
    ...[...needs].filter((name) => !needed.has(name)).map((name) => `${at}.${name}: is now required`),
    ...(closed ? [`${at}: no longer accepts other fields`] : []),
  ];
}

function items(before: Schema, after: Schema, at: string): string[] {
  if (!isSchema(after.items)) return [];
  return breaksOfSchema(isSchema(before.items) ? before.items : {}, after.items, `${at}[]`);
}

/** Requires that a keyword unknown to this rule has not changed. */
function unknown(before: Schema, after: Schema, at: string): string[] {
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keywords].flatMap((keyword) =>
    KNOWN.has(keyword) ||
    WORDS.has(keyword) ||
    JSON.stringify(before[keyword]) === JSON.stringify(after[keyword])
      ? []
      : [`${at}: ${keyword} has changed`],
  );
}

function objectAt(schema: Schema, keyword: string): Schema {
  const value = schema[keyword];
  return isSchema(value) ? value : {};
}

function isSchema(value: unknown): value is Schema {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function namesIn(required: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(required) ? required.map(String) : []);
}

import * as z from 'zod';

/**
 * Who wrote the texts of a result. A tool's output says it of each text, and one that says nothing of it does not compile.
 * What third parties wrote is marked in the answer: `untrusted_fields` follows from here.
 */

export type Author = 'third_party' | 'owner' | 'key' | 'countersign';

interface Authorship {
  readonly author: Author;
  /** It goes between markers. */
  readonly isWrapped: boolean;
}

interface Text extends Authorship {
  readonly path: string;
}

const authorships = z.registry<Authorship>();

/** A text by anybody else: the author of a message, whoever shares a calendar. */
export function thirdParty<S extends z.ZodType>(text: S) {
  return marked(text, 'third_party', false);
}

/** A long one, which goes between markers in the answer to a read. */
export function wrappedThirdParty<S extends z.ZodType>(text: S) {
  return marked(text, 'third_party', true);
}

/** A text by `author`, in which nobody else has a say. */
export function writtenBy<S extends z.ZodType, const A extends Exclude<Author, 'third_party'>>(
  author: A,
  text: S,
) {
  return marked(text, author, false);
}

function marked<S extends z.ZodType, A extends Author>(text: S, author: A, isWrapped: boolean) {
  // A copy: the same shape may stand elsewhere, for a text of somebody else.
  const copy = text.clone();
  authorships.add(copy, { author, isWrapped });
  return copy.brand<A>();
}

/** The texts of a value, as pairs of path and author. */
type Texts<T, Path extends string = ''> = T extends string
  ? string extends T
    ? [Path, 'nobody']
    : T extends z.core.$brand<infer A>
      ? [Path, A]
      : never
  : T extends number | boolean | null | undefined
    ? never
    : T extends z.core.$brand<infer A>
      ? [Path, A]
      : T extends readonly (infer E)[]
        ? Texts<E, `${Path}[]`>
        : T extends object
          ? { [K in keyof T & string]: Texts<T[K], Path extends '' ? K : `${Path}.${K}`> }[keyof T & string]
          : [Path, 'nobody'];

/** The paths of third-party texts in the output of a shape, such as `messages[].from`. */
export type ThirdPartyPath<S extends z.ZodType> = PathsBy<S, 'third_party'>;

/** Only a shape that says of each of its texts who wrote it fits this. The error of the compiler names the others by path. */
export type Authored<S extends z.ZodType> = NoText<'who wrote', PathsBy<S, 'nobody'>>;

/** Fits every shape if there is no such path. */
export type NoText<Wrong extends string, Path> = [Path] extends [never]
  ? unknown
  : Readonly<Record<Wrong, Path>>;

type PathsBy<S extends z.ZodType, A extends Author | 'nobody'> = Extract<Texts<z.output<S>>, [string, A]>[0];

export interface ThirdPartyFields {
  /** Paths such as `messages[].from`. */
  readonly all: readonly string[];
  /** Those of them that go between markers. */
  readonly wrapped: readonly string[];
}

/** The third-party texts in results of this shape. @throws Error if there may be one that no path names */
export function thirdPartyFields(shape: z.core.$ZodType): ThirdPartyFields {
  const found = textsOf(shape).filter(({ author }) => author === 'third_party');
  const pathsOf = (texts: typeof found) => [...new Set(texts.map(({ path }) => path))];
  return { all: pathsOf(found), wrapped: pathsOf(found.filter(({ isWrapped }) => isWrapped)) };
}

/** Every text whose author is known, by its path; an object whose fields are not known counts as a text. */
export function textsOf(shape: z.core.$ZodType): Text[] {
  return textsAt(shape, '');
}

function textsAt(shape: z.core.$ZodType, path: string): Text[] {
  const own = authorships.get(shape);
  const here = own === undefined ? [] : [{ path, author: own.author, isWrapped: own.isWrapped }];
  return [...here, ...innerTexts(shape, path)];
}

const WITHOUT_PARTS: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'literal', 'enum']);

function innerTexts(shape: z.core.$ZodType, path: string): Text[] {
  if (shape instanceof z.ZodObject) {
    return Object.entries<z.core.$ZodType>(shape.shape).flatMap(([name, field]) =>
      textsAt(field, path === '' ? name : `${path}.${name}`),
    );
  }
  if (shape instanceof z.ZodArray) return textsAt(shape.element, `${path}[]`);
  if (
    shape instanceof z.ZodOptional ||
    shape instanceof z.ZodExactOptional ||
    shape instanceof z.ZodNullable
  ) {
    return textsAt(shape.unwrap(), path);
  }
  if (shape instanceof z.ZodUnion) return shape.options.flatMap((option) => textsAt(option, path));
  const { type } = shape._zod.def;
  if (WITHOUT_PARTS.has(type)) return [];
  if (!(shape instanceof z.ZodRecord))
    throw new Error(`${path} is of a kind whose parts are not known: ${type}`);
  const unreached = textsAt(shape.valueType, `${path}.*`);
  if (unreached.some(({ author }) => author === 'third_party')) {
    throw new Error(`${path} has third-party text where it cannot be marked`);
  }
  return unreached;
}

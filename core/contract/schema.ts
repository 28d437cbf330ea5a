import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import * as z from 'zod';
import { codePoints } from '../text/code-points.ts';
import { nearestName } from '../text/nearest.ts';
import { normalForm } from '../text/normal-form.ts';
import { shortened } from '../text/shortened.ts';
import { type DetailsOf, ServiceError } from './errors.ts';
import { withoutNullFields } from './result.ts';

/**
 * Arguments of tools. The published schema is the one that is checked (ajv), with the bounds that only its descriptions
 * state; zod gives the types and the rules that JSON Schema cannot express. Lengths count Unicode code points in both.
 */

type ArgumentDetails = DetailsOf<'invalid_arguments'>;

/** One entry of `details.errors`. */
export type ArgumentError = Readonly<ArgumentDetails['errors'][number]>;

export function invalidArguments(errors: readonly ArgumentError[]): ServiceError {
  return new ServiceError('invalid_arguments', { details: errorDetails(errors) });
}

const ERRORS_SHOWN = 30;
/** A caller may name unknown fields, with names of any length. */
const FIELD_CHARS = 100;

/** The details of an `invalid_arguments` error. `errors_total` is present if there are more errors than shown. */
export function errorDetails(errors: readonly ArgumentError[]): ArgumentDetails {
  const shown = errors
    .slice(0, ERRORS_SHOWN)
    .map((error) => ({ ...error, field: shortened(error.field, FIELD_CHARS) }));
  return errors.length > shown.length ? { errors: shown, errors_total: errors.length } : { errors: shown };
}

export function invalidArgument(field: string, rule: string, message: string): ServiceError {
  return invalidArguments([{ field, rule, message }]);
}

// NUL, control characters except TAB and LF (CR has become LF by then), DEL, lone surrogates.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are refused
const REFUSED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0080-\u009f]|\p{Surrogate}/u;

/** Text without control characters except TAB and LF. CR and CRLF become LF. */
export function text(bounds: { min: number; max: number; description: string }) {
  return z
    .string()
    .refine((value) => codePoints(bodyText(value)) >= bounds.min, {
      message: `must have at least ${bounds.min} characters`,
    })
    .refine((value) => codePoints(value) <= bounds.max, {
      message: `must have at most ${bounds.max} characters`,
    })
    .refine((value) => !REFUSED.test(value.replace(/\r\n?/g, '\n')), {
      message: 'must not contain control characters other than TAB and line breaks, or lone surrogates',
    })
    .meta({ minLength: bounds.min, maxLength: bounds.max, description: bounds.description });
}

/** Text that is safe in a header: without line breaks, TAB, and characters that a reader would drop. */
export function line(bounds: { min: number; max: number; description: string }) {
  return z
    .string()
    .refine((value) => codePoints(value) >= bounds.min, {
      message: `must have at least ${bounds.min} characters`,
    })
    .refine((value) => codePoints(value) <= bounds.max, {
      message: `must have at most ${bounds.max} characters`,
    })
    .refine((value) => !REFUSED.test(value) && !/[\t\r\n\u2028\u2029\ufeff]/.test(value), {
      message: 'must be one line without TAB, control characters, byte order marks or lone surrogates',
    })
    .meta({ minLength: bounds.min, maxLength: bounds.max, description: bounds.description });
}

/** Line ends become LF. One final newline, and byte order marks at the start, are not part of the text. */
export function bodyText(value: string): string {
  return value
    .replace(/^\ufeff+/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\n$/, '');
}

/** Without a description, for lists of them: a model reads it with every tool. */
export const messageIdInList = z.string().regex(/^m1_[A-Za-z0-9_-]{1,1437}$/);

export const messageId = messageIdInList.meta({
  description: 'A message id, exactly as a result returned it.',
});

export const cursor = z
  .string()
  .max(120)
  .regex(/^c1_[A-Za-z0-9_-]+$/)
  .meta({ description: "The previous page's next_cursor; repeat the other arguments unchanged." });

export const accountId = z.int().min(1).meta({ description: 'An account, as list_accounts shows it.' });

export const limit = z.int().min(1).max(50).meta({ description: 'Rows of a page; default 20.' });

// One local part, one @, a domain with a dot, and no characters that have a meaning in a header.
const ADDRESS = /^[^\s@<>,;:"'()[\]\\]+@[^\s@<>,;:"'()[\]\\.]+(\.[^\s@<>,;:"'()[\]\\.]+)+$/;

// What every server accepts: anything beyond ASCII needs SMTPUTF8, and a reader would decode `=?`.
const DELIVERABLE = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@[A-Za-z0-9.-]+$/;

export const address = z
  .string()
  .regex(ADDRESS)
  .refine((value) => codePoints(value) >= 3 && codePoints(value) <= 254, {
    message: 'must have 3 to 254 characters',
  })
  .refine(isDeliverable, {
    message: 'must be an address in plain ASCII; a domain beyond ASCII in its xn-- form',
  })
  .meta({ minLength: 3, maxLength: 254, description: 'A bare address such as ada@example.org.' });

/** Whether every server and reader takes it for one address. */
export function isDeliverable(value: string): boolean {
  return DELIVERABLE.test(value) && !value.includes('=?');
}

/** An address for comparison: addresses that differ only in case or composition reach the same person. */
export function normalAddress(value: string): string {
  return normalForm(value.trim(), 'NFC').toLowerCase();
}

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, verbose: true });

export interface Arguments<A> {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** @throws ServiceError invalid_arguments, or invalid_message_id for text that cannot be a message id */
  parse(args: unknown): A;
}

/** The published schema of a tool's arguments, and the check against it. */
export function argumentsOf<S extends z.ZodType>(input: S): Arguments<z.output<S>> {
  return checkedArguments(input, (args) => input.safeParse(args));
}

type Checked<A> =
  | { readonly success: true; readonly data: A }
  | { readonly success: false; readonly error: Pick<z.ZodError, 'issues'> };

/** @param published  the shape of the published schema @param check  the rules that JSON Schema cannot express */
export function checkedArguments<A>(
  published: z.ZodType,
  check: (args: unknown) => Checked<A>,
): Arguments<A> {
  const { $schema: _dialect, ...checked } = z.toJSONSchema(published, {
    io: 'input',
    target: 'draft-2020-12',
  });
  // Compiled on first use: a process that only lists tools does not pay for it.
  let validate: ValidateFunction | undefined;
  const { properties, required } = objectSchema.parse(checked);
  // Clients whose schemas know no optional fields send null for those that are not set.
  const isOptional = (name: string) => Object.hasOwn(properties, name) && !required.includes(name);
  return {
    jsonSchema: {
      ...checked,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, highBoundInWords(property)]),
      ),
    },
    parse(given) {
      validate ??= ajv.compile(checked);
      const args = withoutNullFields(given, isOptional);
      if (!validate(args)) throw refusal((validate.errors ?? []).map(schemaError));
      const parsed = check(args);
      if (parsed.success) return parsed.data;
      throw refusal(
        parsed.error.issues.map((issue) => ({
          field: fieldOf(issue.path),
          rule: issue.code === 'custom' ? 'content' : issue.code,
          message: issue.message,
        })),
      );
    },
  };
}

const objectSchema = z.looseObject({
  properties: z.record(z.string(), z.looseObject({})).default({}),
  required: z.array(z.string()).default([]),
});

/** Grammars by which local models write allow no longer repetition (llama.cpp). */
const PUBLISHED_LENGTH_MAX = 2000;

/** Moves the bound of a long text to its description. */
function highBoundInWords(property: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { maxLength, ...others } = property;
  if (typeof maxLength !== 'number' || maxLength <= PUBLISHED_LENGTH_MAX) return property;
  return { ...others, description: `${String(others.description)} At most ${maxLength} characters.` };
}

/** The service never issues malformed ids, whatever else is wrong with the arguments. */
function refusal(errors: readonly ArgumentError[]): ServiceError {
  const onlyIds = errors.every(
    (error) => error.rule === 'pattern' && /^(id|message_id|ids\[\d+\])$/.test(error.field),
  );
  return onlyIds ? new ServiceError('invalid_message_id') : invalidArguments(errors);
}

function schemaError(error: ErrorObject): ArgumentError {
  const path = error.instancePath.split('/').slice(1);
  const params: Record<string, unknown> = error.params;
  const extra = params.missingProperty ?? params.additionalProperty;
  if (typeof extra === 'string') path.push(extra);
  return { field: fieldOf(path), rule: error.keyword, message: messageOf(error) };
}

/** Says how to correct the argument. */
function messageOf({ keyword, params, parentSchema, message = 'is not valid' }: ErrorObject): string {
  const { description = '', properties = {} } = argumentSchema.parse(parentSchema);
  switch (keyword) {
    case 'pattern':
      return `has the wrong form. ${description}`.trimEnd();
    case 'enum':
      return `must be one of: ${allowed.parse(params).allowedValues.join(', ')}`;
    case 'required':
      return 'is missing';
    case 'additionalProperties': {
      const names = Object.keys(properties);
      const nearest = nearestName(unknownName.parse(params).additionalProperty, names);
      if (nearest !== undefined) return `is not an argument here. Did you mean ${nearest}?`;
      return names.length === 0
        ? 'is not an argument here. There are none.'
        : `is not an argument here. The arguments are: ${names.join(', ')}`;
    }
    default:
      return message;
  }
}

const argumentSchema = z.looseObject({
  description: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
});
const allowed = z.looseObject({ allowedValues: z.array(z.unknown()) });
const unknownName = z.looseObject({ additionalProperty: z.string() });

function fieldOf(path: readonly PropertyKey[]): string {
  return path
    .map((step) => String(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (field, step) => (/^\d+$/.test(step) ? `${field}[${step}]` : field === '' ? step : `${field}.${step}`),
      '',
    );
}

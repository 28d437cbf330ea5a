import * as z from 'zod';
import { isRecord } from '../../core/contract/result.ts';
import { lengthInWords, withoutLength } from '../length-in-words.ts';
import { code, numberText } from './markdown.ts';
import { anchorOf } from './page-links.ts';

/** The fields of a JSON Schema as rows of a table. */

type Schema = Readonly<Record<string, unknown>>;

interface FieldRow {
  /** `messages[].id`. */
  readonly path: string;
  /** A named part is a link to the heading of its name. */
  readonly type: string;
  readonly isRequired: boolean;
  /** Undefined: none. */
  readonly usual: unknown;
  /** What its definition says; empty: nothing. */
  readonly meaning: string;
}

/** The forms that texts have: what each looks like. A page explains them once, under its name here. */
export const FORMS = {
  'message id': 'starts with `m1_`, then letters, digits, `_` and `-`; 4 to 1,440 characters; opaque',
  'approval id': 'starts with `apr_`; at most 26 characters; opaque',
  cursor: 'starts with `c1_`, then letters, digits, `_` and `-`; at most 120 characters; opaque',
  address: 'a bare address such as `ada@example.org`, in ASCII; 3 to 254 characters',
  day: 'such as `2026-03-04`',
  'local time':
    "such as `2026-03-04T10:00` or `2026-03-04T10:00:00`, without an offset, in the owner's time zone; years 1900 to 9998",
  'date and time': 'ISO 8601 with offset, such as `2026-11-20T09:00:00.000Z`',
  'event id': 'starts with `evt_`; opaque',
  nonce: '32 or more digits',
} as const;

type Form = keyof typeof FORMS;

const FORM_OF_PATTERN: Readonly<Record<string, Form>> = {
  '^m1_[A-Za-z0-9_-]{1,1437}$': 'message id',
  '^m1_[A-Za-z0-9_-]+$': 'message id',
  '^apr_': 'approval id',
  '^c1_[A-Za-z0-9_-]+$': 'cursor',
  '^evt_': 'event id',
  '^[0-9]{32,}$': 'nonce',
  '^\\d{4}-\\d{2}-\\d{2}$': 'day',
  '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?$': 'local time',
  '^[^\\s@<>,;:"\'()[\\]\\\\]+@[^\\s@<>,;:"\'()[\\]\\\\.]+(\\.[^\\s@<>,;:"\'()[\\]\\\\.]+)+$': 'address',
};

/** Every field of a shape, as a client reads it. Of a union of objects, the fields of each. */
export function shapeRows(shape: z.ZodType): FieldRow[][] {
  const schema: Schema = z.toJSONSchema(shape, { io: 'input', target: 'draft-2020-12' });
  const { $ref, $defs } = schema;
  const named = typeof $ref === 'string' && isRecord($defs) ? $defs[$ref.replace('#/$defs/', '')] : schema;
  if (!isRecord(named)) throw new Error(`there is no schema ${String($ref)}`);
  const choices = Array.isArray(named.anyOf) ? named.anyOf.filter(isRecord) : [named];
  return choices.map((choice) => fieldRows(choice));
}

export function fieldRows(schema: Schema, path = ''): FieldRow[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(isRecord(schema.properties) ? schema.properties : {}).flatMap(([name, field]) => {
    if (!isRecord(field)) throw new Error(`the schema of ${name} is not an object`);
    const at = path === '' ? name : `${path}.${name}`;
    const row = {
      path: at,
      type: typeOf(field),
      isRequired: required.has(name),
      usual: field.default,
      meaning: typeof field.description === 'string' ? withoutLength(field.description) : '',
    };
    return [row, ...within(field, at)];
  });
}

function within(schema: Schema, path: string): FieldRow[] {
  const { items, additionalProperties } = schema;
  if (isRecord(items)) return within(items, `${path}[]`);
  const fields = fieldRows(schema, path);
  return fields.length === 0 && isRecord(additionalProperties)
    ? within(additionalProperties, `${path}.*`)
    : fields;
}

function typeOf(schema: Schema): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.replace('#/$defs/', '');
    return `[${name}](#${anchorOf(name)})`;
  }
  if (Array.isArray(schema.anyOf)) {
    return schema.anyOf.filter(isRecord).map(typeOf).join(' or ');
  }
  if (Array.isArray(schema.type)) {
    return schema.type.map((type: unknown) => typeOf({ ...schema, type })).join(' or ');
  }
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => code(String(value))).join(', ');
  if ('const' in schema) return code(String(schema.const));
  switch (schema.type) {
    case 'string':
      return textType(schema);
    case 'integer':
      return ranged('integer', bounds(schema.minimum, schema.maximum));
    case 'array':
      return `list of ${isRecord(schema.items) ? several(typeOf(schema.items)) : 'anything'}${listBounds(schema)}`;
    case 'boolean':
    case 'null':
    case 'object':
      return schema.type;
    default:
      throw new Error(`the reference has no words for the schema ${JSON.stringify(schema)}`);
  }
}

/** The plural of a type, with its bounds in brackets. A link or a choice of values stays as it is. */
function several(type: string): string {
  const [, word, range] = /^([a-z ]+)(?:, (.*))?$/.exec(type) ?? [];
  if (word === undefined) return type;
  const words = `${word}${word.endsWith('s') ? 'es' : 's'}`;
  return range === undefined ? words : `${words} (${range})`;
}

function textType({ pattern, format, minLength, maxLength, description }: Schema): string {
  if (format === 'date-time') return 'date and time';
  if (typeof pattern === 'string') {
    const form = Object.hasOwn(FORM_OF_PATTERN, pattern) ? FORM_OF_PATTERN[pattern] : undefined;
    if (form === undefined) throw new Error(`the reference has no name for texts of the form ${pattern}`);
    return form;
  }
  const most = maxLength ?? lengthInWords(description);
  const length = bounds(minLength === 1 && most === undefined ? undefined : minLength, most);
  return length === '' ? 'string' : `string, ${length} characters`;
}

function listBounds({ minItems, maxItems, uniqueItems }: Schema): string {
  const count = bounds(minItems, maxItems);
  return `${count === '' ? '' : `, ${count}`}${uniqueItems === true ? ', each once' : ''}`;
}

function ranged(type: string, range: string): string {
  return range === '' ? type : `${type}, ${range}`;
}

function bounds(least: unknown, most: unknown): string {
  const min = typeof least === 'number' && least > Number.MIN_SAFE_INTEGER ? least : undefined;
  const max = typeof most === 'number' && most < Number.MAX_SAFE_INTEGER ? most : undefined;
  if (min !== undefined && max !== undefined) return `${numberText(min)} to ${numberText(max)}`;
  if (max !== undefined) return `at most ${numberText(max)}`;
  return min === undefined ? '' : `at least ${numberText(min)}`;
}

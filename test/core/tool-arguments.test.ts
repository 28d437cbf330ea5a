import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ServiceError } from '../../core/contract/errors.ts';
import { invalidArgument } from '../../core/contract/schema.ts';
import { CATALOGUE } from '../../core/tools/catalogue.ts';
import { listingOf, type Tool } from '../../core/tools/define-tool.ts';
import { anyCharacter } from '../any-character.ts';
import { lengthInWords } from '../length-in-words.ts';
import { anyText } from './matchers.ts';

// The published schema and the check must be the same: what a client can see is what counts.

const ajv = new Ajv2020({ strict: true, allErrors: true });

/** The part of JSON Schema that the published schemas use. Anything else fails here and needs a decision. */
const property = z.strictObject({
  type: z.enum(['string', 'integer', 'array', 'boolean']),
  description: z.string().optional(),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  enum: z.array(z.string()).optional(),
  pattern: z.string().optional(),
  minLength: z.int().optional(),
  // More repetitions are too many for grammars of local models.
  maxLength: z.int().max(2000).optional(),
  minimum: z.int().optional(),
  maximum: z.int().optional(),
  minItems: z.int().optional(),
  maxItems: z.int().max(2000).optional(),
  uniqueItems: z.boolean().optional(),
  get items() {
    return property.optional();
  },
});
const published = z.strictObject({
  type: z.literal('object'),
  properties: z.record(z.string(), property),
  required: z.array(z.string()).optional(),
  additionalProperties: z.literal(false),
});
type Property = z.infer<typeof property>;

const ASTRAL = '\u{1f4dc}';

/** Text of exactly `length` code points that fits the property's pattern, as far as one can. */
function textOf({ pattern = '' }: Property, length: number, char: string): string {
  const [, prefix = ''] = /^\^([a-z0-9]+_)/.exec(pattern) ?? [];
  if (pattern.includes('@'))
    return `${char.repeat(Math.max(0, length - 12))}@example.org`.slice(-Math.max(length, 0));
  return prefix + char.repeat(Math.max(0, length - prefix.length));
}

function around(bound: number | undefined): number[] {
  return bound === undefined ? [] : [bound - 1, bound, bound + 1];
}

/** Valid and almost valid values, on both sides of every limit, and some that are entirely wrong. */
function valuesOf(schema: Property): fc.Arbitrary<unknown> {
  const wrong = fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 53, '', 'x', [], {}, ['x'], '\ud800');
  switch (schema.type) {
    case 'string': {
      if (schema.enum !== undefined) return fc.oneof(fc.constantFrom(...schema.enum), wrong);
      const most = schema.maxLength ?? lengthInWords(schema.description);
      const lengths = [3, 30, ...around(schema.minLength), ...around(most)].filter((n) => n >= 0);
      const sized = fc
        .tuple(fc.constantFrom(...lengths), fc.constantFrom('a', 'Z', '_', ' ', 'é', ASTRAL, '\n', '\0'))
        .map(([length, char]) => textOf(schema, length, char));
      return fc.oneof(
        { weight: 6, arbitrary: sized },
        { weight: 1, arbitrary: wrong },
        fc.string({ unit: anyCharacter }),
      );
    }
    case 'integer':
      return fc.oneof(fc.constantFrom(1, 7, 20, ...around(schema.minimum), ...around(schema.maximum)), {
        weight: 1,
        arbitrary: wrong,
      });
    case 'array': {
      const items = schema.items ?? { type: 'string', description: 'x' };
      const counts = [1, 2, ...around(schema.minItems), ...around(schema.maxItems)].filter((n) => n >= 0);
      const lists = fc
        .constantFrom(...counts)
        .chain((length) => fc.array(valuesOf(items), { minLength: length, maxLength: length }));
      return fc.oneof({ weight: 4, arbitrary: lists }, { weight: 1, arbitrary: wrong });
    }
    case 'boolean':
      return fc.oneof(fc.boolean(), wrong);
  }
}

function argumentsFor(tool: Tool): fc.Arbitrary<unknown> {
  const { properties, required = [] } = published.parse(tool.inputSchema);
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema)]),
  );
  const some = fc.record(fields, { requiredKeys: [] });
  const whole = fc.record(fields, { requiredKeys: required });
  const more = fc.tuple(whole, fc.constantFrom('extra', 'id2', '__proto__', 'Id')).map(([args, name]) => ({
    ...args,
    [name]: 1,
  }));
  return fc.oneof(
    { weight: 6, arbitrary: whole },
    { weight: 1, arbitrary: some },
    more,
    fc.constantFrom(null, [], 'x'),
  );
}

function withoutUnset(args: unknown, inputSchema: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const { properties, required = [] } = published.parse(inputSchema);
  const isSet = ([name, value]: [string, unknown]) =>
    value !== null || required.includes(name) || !Object.hasOwn(properties, name);
  return Object.fromEntries(Object.entries(args).filter(isSet));
}

function bound(tool: Tool, args: unknown): 'bound' | string {
  try {
    tool.bind(args);
    return 'bound';
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

/** The arguments of each tool, which stay as they are. */
const FROZEN: Readonly<Record<string, string>> = {
  get_me: '',
  list_approvals: 'state? limit? cursor?',
  get_approval: 'approval_id wait_s? items?',
  cancel_approval: 'approval_id',
  list_accounts: 'cursor?',
  list_folders: 'account_id? cursor?',
  summarize_inbox: 'account_id? folder? limit? cursor? fields?',
  list_unread: 'account_id? folder? limit? cursor? fields?',
  search_inbox: 'q? from? since? unread? account_id? folder? limit? cursor? fields?',
  get_email: 'id? ids? body_offset?',
  get_thread: 'id limit? cursor?',
  list_attachments: 'id? ids? cursor?',
  read_attachment: 'id index max_chars? offset?',
  send_email: 'to subject body account_id? purpose?',
  forward_email: 'id to note? purpose?',
  send_reply: 'id body purpose?',
  archive_email: 'id? ids? items? purpose?',
  delete_email: 'id? ids? items? purpose?',
  move_email: 'id? ids? items? target_folder purpose?',
  label_email: 'id? ids? items? label purpose?',
  mark_read: 'id? ids? items? purpose?',
  mark_unread: 'id? ids? items? purpose?',
  flag_email: 'id? ids? items? purpose?',
  list_events: 'days? past_days? only? cursor?',
  create_event: 'title start duration_min? attendee? purpose?',
  propose_event: 'title start duration_min? attendee? purpose?',
  update_event: 'event_id title? start? duration_min? attendee? purpose?',
  cancel_event: 'event_id purpose?',
  confirm_event: 'event_id purpose?',
  list_trackers: 'cursor?',
  get_tracker: 'tracker_id cursor?',
  create_tracker: 'title keywords? due? purpose?',
  set_tracker_status: 'tracker_id status purpose?',
  add_tracker_note: 'tracker_id note purpose?',
  link_to_tracker: 'tracker_id message_id purpose?',
  link_event_to_tracker: 'tracker_id event_id purpose?',
  resolve_tracker: 'tracker_id purpose?',
};

describe('the catalogue', () => {
  it('names each tool once, with a title and a description', () => {
    const names = CATALOGUE.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const tool of CATALOGUE) {
      expect(tool.name).toMatch(/^[a-z][a-z_]{1,63}$/);
      expect(tool.title).not.toBe('');
      expect(tool.description).not.toBe('');
    }
  });

  it('has the names and arguments that are frozen', () => {
    for (const tool of CATALOGUE) {
      const { properties, required = [] } = published.parse(tool.inputSchema);
      const shown = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
      expect([tool.name, shown]).toEqual([
        tool.name,
        FROZEN[tool.name]?.split(' ').filter((name) => name !== ''),
      ]);
    }
  });

  it('describes every argument that its name does not explain', () => {
    const plain = new Set(['id', 'approval_id', 'only', 'event_id', 'tracker_id']);
    for (const tool of CATALOGUE) {
      for (const [name, { description }] of Object.entries(published.parse(tool.inputSchema).properties)) {
        if (!plain.has(name)) expect([tool.name, name, description]).toEqual([tool.name, name, anyText]);
      }
    }
  });

  it('says how long a text may be where the bound is too high for the schema, and refuses a longer one', () => {
    const described = CATALOGUE.flatMap((tool) =>
      Object.entries(published.parse(tool.inputSchema).properties).flatMap(([name, schema]) => {
        const most = lengthInWords(schema.description);
        return most === undefined ? [] : [{ tool, name, most }];
      }),
    );
    expect(described.map(({ tool, name, most }) => `${tool.name} ${name} ${most}`)).toEqual([
      'send_email body 50000',
      'forward_email note 10000',
      'send_reply body 50000',
      'add_tracker_note note 10000',
    ]);
    const others = { to: ['ada@example.org'], subject: 'Plan', id: 'm1_AAAA', tracker_id: 1 };
    for (const { tool, name, most } of described) {
      const { required = [] } = published.parse(tool.inputSchema);
      const args = Object.fromEntries(Object.entries(others).filter(([other]) => required.includes(other)));
      expect(() => tool.bind({ ...args, [name]: ASTRAL.repeat(most) })).not.toThrow();
      expect(() => tool.bind({ ...args, [name]: ASTRAL.repeat(most + 1) })).toThrow(
        invalidArgument(name, 'maxLength', `must NOT have more than ${most} characters`),
      );
    }
  });

  it('says which tools only read', () => {
    for (const { name, annotations } of CATALOGUE.map(listingOf)) {
      const reads = /^(get|list|search|summarize|read)_/.test(name);
      expect([name, annotations.readOnlyHint]).toEqual([name, reads]);
    }
  });
});

describe.each(CATALOGUE.map((tool) => [tool.name, tool] as const))('the arguments of %s', (_name, tool) => {
  const validate = ajv.compile(tool.inputSchema);

  it('are published as a flat object, without anything else', () => {
    expect(published.safeParse(tool.inputSchema).error).toBeUndefined();
    for (const word of ['oneOf', 'anyOf', 'allOf', '$ref', '$schema'])
      expect(tool.inputSchema).not.toHaveProperty(word);
  });

  it('are refused whenever the published schema refuses them', () => {
    fc.assert(
      fc.property(argumentsFor(tool), (args) => {
        // Null stands for an optional argument that is not set.
        const isRefused = !validate(withoutUnset(args, tool.inputSchema));
        if (isRefused) expect(['invalid_arguments', 'invalid_message_id']).toContain(bound(tool, args));
      }),
      { numRuns: 300 },
    );
  });

  it('are only refused beyond the published schema for their characters, their combination, or a length in words', () => {
    const besides =
      /^must .*(?:control characters|one line|have at least|not stand beside|each address once|plain|day that exists|more than [15]0000 characters)|^give (?:at least|exactly) one/;
    fc.assert(
      fc.property(argumentsFor(tool), (args) => {
        if (!validate(args)) return;
        try {
          tool.bind(args);
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          expect(error.code).toBe('invalid_arguments');
          const errors = z
            .array(z.object({ message: z.string().regex(besides) }))
            .safeParse(error.details?.errors);
          expect(errors.error).toBeUndefined();
        }
      }),
      { numRuns: 300 },
    );
  });
});

const id = `m1_${'A'.repeat(100)}`;
const send = { to: ['ada@example.org'], subject: 'Subject', body: 'Text' };
const many = (count: number) => Array.from({ length: count }, (_, n) => `a${n}@example.org`);

/** Both sides of every limit: the last valid value, and the first invalid one. */
const BOUNDS: [tool: string, field: string, right: unknown, wrong: unknown, others?: object][] = [
  ['list_approvals', 'limit', 1, 0],
  ['list_approvals', 'limit', 50, 51],
  ['list_approvals', 'state', 'all', 'pending'],
  ['list_approvals', 'cursor', `c1_${'A'.repeat(117)}`, `c1_${'A'.repeat(118)}`],
  ['list_approvals', 'cursor', 'c1_A', 'c1_'],
  ['get_approval', 'approval_id', `apr_${'A'.repeat(22)}`, `apr_${'A'.repeat(23)}`],
  ['cancel_approval', 'approval_id', `apr_${'A'.repeat(22)}`, `app_${'A'.repeat(22)}`],
  ['summarize_inbox', 'account_id', 1, 0],
  ['summarize_inbox', 'limit', 50, 51],
  ['summarize_inbox', 'limit', 1, 1.5],
  ['summarize_inbox', 'folder', 'f'.repeat(255), 'f'.repeat(256)],
  ['summarize_inbox', 'folder', ASTRAL.repeat(255), ASTRAL.repeat(256)],
  ['summarize_inbox', 'folder', 'f', ''],
  ['summarize_inbox', 'fields', 'triage', 'all'],
  ['get_email', 'id', `m1_${'A'.repeat(1437)}`, `m1_${'A'.repeat(1438)}`],
  ['get_email', 'id', 'm1_A', 'm1_'],
  ['get_email', 'body_offset', 0, -1, { id }],
  ['get_email', 'body_offset', 100_000_000, 100_000_001, { id }],
  ['send_email', 'to', many(1), [], send],
  ['send_email', 'to', many(5), many(6), send],
  ['send_email', 'to', many(2), ['ada@example.org', 'ADA@example.org'], send],
  ['send_email', 'to', ['a@b.c'], ['a@b'], send],
  ['send_email', 'to', [`${'a'.repeat(242)}@example.org`], [`${'a'.repeat(243)}@example.org`], send],
  ['send_email', 'subject', 's', '', send],
  ['send_email', 'subject', ASTRAL.repeat(300), ASTRAL.repeat(301), send],
  ['send_email', 'body', 'b', '', send],
  ['send_email', 'body', ASTRAL.repeat(50_000), ASTRAL.repeat(50_001), send],
  ['send_email', 'account_id', 1, 0, send],
  ['send_reply', 'body', ASTRAL.repeat(50_000), ASTRAL.repeat(50_001), { id }],
  ['mark_read', 'ids', [id], []],
  ['archive_email', 'ids', [id], []],
  ['search_inbox', 'q', 'w'.repeat(200), 'w'.repeat(201)],
  ['search_inbox', 'q', 'a b', ''],
  ['search_inbox', 'q', ' w ', '  \u00a0'],
  ['search_inbox', 'from', ASTRAL.repeat(2), ASTRAL],
  ['search_inbox', 'from', 'f'.repeat(200), 'f'.repeat(201)],
  ['search_inbox', 'since', '2024-02-29', '2026-02-29'],
  ['search_inbox', 'since', '2026-11-20', '2026-11-20T10:00'],
  ['search_inbox', 'limit', 50, 51, { q: 'w' }],
  ['search_inbox', 'unread', true, 'true', { q: 'w' }],
  ['get_thread', 'limit', 50, 51, { id }],
  ['get_thread', 'id', 'm1_A', 'm1_'],
  ['get_email', 'ids', [id], []],
  ['get_email', 'ids', Array(20).fill(id), Array(21).fill(id)],
  ['list_attachments', 'ids', [id], []],
  ['list_attachments', 'ids', Array(20).fill(id), Array(21).fill(id)],
  ['read_attachment', 'index', 0, -1, { id }],
  ['read_attachment', 'index', 500, 501, { id }],
  ['read_attachment', 'max_chars', 1, 0, { id, index: 0 }],
  ['read_attachment', 'max_chars', 50_000, 50_001, { id, index: 0 }],
  ['read_attachment', 'offset', 0, -1, { id, index: 0 }],
  ['read_attachment', 'offset', 100_000_000, 100_000_001, { id, index: 0 }],
  ['forward_email', 'to', many(5), many(6), { id }],
  ['forward_email', 'note', '', 7, { id, to: many(1) }],
  ['forward_email', 'note', ASTRAL.repeat(10_000), ASTRAL.repeat(10_001), { id, to: many(1) }],
  ['move_email', 'target_folder', ASTRAL.repeat(255), ASTRAL.repeat(256), { id }],
  ['move_email', 'target_folder', 'f', '', { id }],
  ['move_email', 'target_folder', 'f', 'f\ng', { id }],
  ['label_email', 'label', ASTRAL.repeat(100), ASTRAL.repeat(101), { id }],
  ['label_email', 'label', 'l', 'l\tm', { id }],
  ['create_tracker', 'title', 't', ''],
  ['create_tracker', 'title', ASTRAL.repeat(200), ASTRAL.repeat(201)],
  ['create_tracker', 'keywords', '', 'a\nb', { title: 't' }],
  ['create_tracker', 'keywords', ASTRAL.repeat(500), ASTRAL.repeat(501), { title: 't' }],
  ['create_tracker', 'due', '2028-02-29', '2026-02-29', { title: 't' }],
  ['get_tracker', 'tracker_id', 1, 0],
  ['get_tracker', 'tracker_id', 2_147_483_647, 2_147_483_648],
  ['set_tracker_status', 'status', 'waiting', 'resolved', { tracker_id: 1 }],
  ['resolve_tracker', 'tracker_id', 1, '1'],
  ['add_tracker_note', 'note', 'n', '', { tracker_id: 1 }],
  ['add_tracker_note', 'note', ASTRAL.repeat(10_000), ASTRAL.repeat(10_001), { tracker_id: 1 }],
  ['add_tracker_note', 'note', 'a\tb\r\nc', 'a\u0007', { tracker_id: 1 }],
  ['link_event_to_tracker', 'event_id', 1, 0, { tracker_id: 1 }],
  ['link_event_to_tracker', 'event_id', 2_147_483_647, 2_147_483_648, { tracker_id: 1 }],
  ['send_email', 'purpose', ASTRAL.repeat(200), ASTRAL.repeat(201), send],
  ['archive_email', 'purpose', 'p', '', { id }],
  ['resolve_tracker', 'purpose', 'a b', 'a\nb', { tracker_id: 1 }],
];

describe('the limits of arguments', () => {
  it.each(BOUNDS)('%s: %s', (name, field, right, wrong, others = {}) => {
    const tool = CATALOGUE.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`there is no ${name}`);
    expect(bound(tool, { ...others, [field]: right })).toBe('bound');
    const refused = typeof wrong === 'string' && field === 'id' ? 'invalid_message_id' : 'invalid_arguments';
    expect(bound(tool, { ...others, [field]: wrong })).toBe(refused);
  });

  it('a search has at least one criterion', () => {
    const tool = CATALOGUE.find((one) => one.name === 'search_inbox');
    if (tool === undefined) throw new Error('there is no search_inbox');
    for (const args of [{}, { unread: true }, { folder: 'inbox' }]) {
      expect(bound(tool, args)).toBe('invalid_arguments');
    }
  });

  it('a malformed message id has its own error code', () => {
    const tool = CATALOGUE.find((one) => one.name === 'mark_read');
    if (tool === undefined) throw new Error('there is no mark_read');
    const answers = [
      { id: 'x' },
      { ids: [id, 'x'] },
      { id: 'x', extra: 1 },
      { id: 7 },
      {},
      { id, ids: [id] },
    ];
    expect(answers.map((args) => bound(tool, args))).toEqual([
      ...['invalid_message_id', 'invalid_message_id', 'invalid_arguments', 'invalid_arguments'],
      ...['invalid_arguments', 'invalid_arguments'],
    ]);
  });
});

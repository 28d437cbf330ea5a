import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ERRORS } from '../../../core/contract/errors.ts';
import {
  type Author,
  textsOf,
  thirdParty,
  thirdPartyFields,
  wrappedThirdParty,
  writtenBy,
} from '../../../core/contract/text-author.ts';
import { EVENTS } from '../../../core/events/webhook-event.ts';
import { CATALOGUE } from '../../../core/tools/catalogue.ts';
import { defineRead, defineWrite } from '../../../core/tools/define-tool.ts';
import { READ, WRITE } from './tool-facts.ts';

// Every text of an answer is one of these: a closed set, a form of Countersign's, or a text whose author the output says.

/** In the details of errors, and in the data of webhooks. Nothing marks third-party text there. */
const UNMARKED: Readonly<Record<string, string>> = {
  'invalid_arguments errors[].field': "the path of an argument, with the agent's own names",
  'invalid_arguments errors[].rule': 'the name of a rule',
  'invalid_arguments errors[].message': 'a fixed sentence with names and values of the input schema',
  'not_permitted group': 'a permission group',
  'not_permitted field': 'the name of an argument',
  'misdirected_request expected': "the operator's address",
  'misdirected_request setting': 'the name of a setting',
  'internal_error remedy': 'a fixed sentence',
  'webhook.test endpoint_id': 'a number of ours',
};

/** In results. Without the name of the tool: a path means the same in all. */
const BY: Readonly<Record<Exclude<Author, 'countersign'>, readonly string[]>> = {
  third_party: [
    'accounts[].missing[].folder',
    'approval.result.not_sent[]',
    'approval.result.title',
    'approvals[].result.not_sent[]',
    'approvals[].result.title',
    'attachment_names[]',
    'attachments[].mime',
    'attachments[].name',
    'body',
    'cc[]',
    'events[].title',
    'from',
    'keywords',
    'links[].from',
    'links[].note',
    'links[].subject',
    'messages[].attachment_names[]',
    'messages[].attachments[].mime',
    'messages[].attachments[].name',
    'messages[].body',
    'messages[].cc[]',
    'messages[].from',
    'messages[].reply_to[]',
    'messages[].snippet',
    'messages[].subject',
    'messages[].to[]',
    'mime',
    'missing[].calendar',
    'missing[].folder',
    'name',
    'next_action',
    'not_sent[]',
    'reply_to[]',
    'subject',
    'summary',
    'text',
    'title',
    'to[]',
    'trackers[].keywords',
    'trackers[].next_action',
    'trackers[].summary',
    'trackers[].title',
  ],
  owner: [
    'accounts[].email',
    'accounts[].folders[].display_name',
    'accounts[].label',
    'approval.rejection.note',
    'approvals[].rejection.note',
    'fences.recipients[]',
    'folder',
    'folders[].name',
    'labels[]',
    'links[].folder',
    'messages[].folder',
    'messages[].labels[]',
    'timezone',
  ],
  key: ['approval.edited.diff', 'approval.summary', 'approvals[].edited.diff', 'approvals[].summary'],
};

type Schema = z.core.JSONSchema.BaseSchema;

/** The paths of texts that are neither a closed set nor of a form, and of objects that may have any field. */
function openTexts(schema: Schema, root = schema, path = ''): string[] {
  const { $ref, $defs: _defs, properties = {}, items, additionalProperties: more, anyOf = [] } = schema;
  if ($ref !== undefined) {
    const named = root.$defs?.[$ref.replace('#/$defs/', '')];
    if (named === undefined) throw new Error(`${$ref} is not defined`);
    return openTexts(named, root, path);
  }
  const field = (name: string) => (path === '' ? name : `${path}.${name}`);
  const isOpen = typeof more === 'object' && Object.keys(more).length === 0;
  const inner = [
    ...Object.entries(properties).flatMap(([name, one]) => openTexts(one as Schema, root, field(name))),
    ...(items === undefined ? [] : openTexts(items as Schema, root, `${path}[]`)),
    ...anyOf.flatMap((one) => openTexts(one, root, path)),
    ...(isOpen ? [field('*')] : []),
    ...(typeof more === 'object' && !isOpen ? openTexts(more, root, field('*')) : []),
  ];
  const { type, format, pattern } = schema;
  const isClosed = schema.enum !== undefined || schema.const !== undefined || format === 'date-time';
  return type !== 'string' || isClosed || pattern?.startsWith('^') === true ? inner : [...inner, path];
}

function openTextsOf(schema: z.ZodType): string[] {
  return openTexts(z.toJSONSchema(schema, { unrepresentable: 'any' }));
}

it('nothing in the details of an error or the data of a webhook can be the text of a third party', () => {
  const errors = Object.entries(ERRORS).flatMap(([code, { details }]) =>
    details === null ? [] : openTextsOf(details).map((path) => `${code} ${path}`),
  );
  const events = Object.entries(EVENTS).flatMap(([type, { data }]) =>
    openTextsOf(data).map((path) => `${type} ${path}`),
  );
  expect([...errors, ...events].sort()).toEqual(Object.keys(UNMARKED).sort());
});

it('the message of an error is fixed', () => {
  for (const { message } of Object.values(ERRORS)) expect(message).toMatch(/^[A-Z][\w\s.,;:'/-]+\.$/);
});

const OUTPUTS = CATALOGUE.flatMap((tool) =>
  tool.kind === 'light' ? [tool.output, tool.directOutput] : [tool.output],
);

it('every text in a result has an author', () => {
  for (const output of OUTPUTS) {
    const known = textsOf(output).map(({ path }) => path);
    const texts = openTextsOf(output);
    expect(texts.filter((path) => !known.includes(path.replace(/\.\*$/, '')))).toEqual([]);
  }
});

it.each(Object.entries(BY))('the %s wrote what is listed here', (author, paths) => {
  const texts = OUTPUTS.flatMap((output) => textsOf(output)).filter((one) => one.author === author);
  expect([...new Set(texts.map(({ path }) => path))].sort()).toEqual(paths);
});

it('only the texts of messages and attachments go between markers', () => {
  const wrapped = OUTPUTS.flatMap((output) => thirdPartyFields(output).wrapped);
  expect([...new Set(wrapped)].sort()).toEqual(['body', 'messages[].body', 'text']);
});

describe('the author of a text', () => {
  const run = async () => ({ kind: 'result' as const, result: { text: '', rows: [] } });

  it('must be said, or the tool does not compile', () => {
    const untold = z.object({ text: z.string() });
    // @ts-expect-error nobody wrote `text`
    defineRead({ ...READ, output: untold, run });
    // @ts-expect-error nobody wrote the text in the list
    defineRead({ ...READ, output: z.object({ text: z.string(), rows: z.array(untold) }), run });
    // @ts-expect-error anything can be in it
    defineRead({ ...READ, output: z.looseObject({ text: thirdParty(z.string()) }), run });
    const tool = defineRead({ ...READ, output: z.object({ text: thirdParty(z.string()) }), run });
    expect(tool.thirdParty).toEqual({ all: ['text'], wrapped: [] });
  });

  it('stays with what is made from it, and not with what it was made from', () => {
    const name = z.string();
    const theirs = thirdParty(name).meta({ description: 'A name.' }).optional();
    const ours = writtenBy('owner', name);
    expect(textsOf(z.object({ theirs, ours, name }))).toEqual([
      { path: 'theirs', author: 'third_party', isWrapped: false },
      { path: 'ours', author: 'owner', isWrapped: false },
    ]);
  });

  it('is found in every part that a path can name, once', () => {
    const text = wrappedThirdParty(z.string());
    const output = z.object({
      rows: z.array(z.object({ text: text.nullable(), count: z.int() })),
      either: z.union([z.object({ text }), z.object({ text: text.optional() })]),
      list: z.array(text).exactOptional(),
    });
    const paths = ['rows[].text', 'either.text', 'list[]'];
    expect(thirdPartyFields(output)).toEqual({ all: paths, wrapped: paths });
  });

  it('cannot be a third party where no path leads', () => {
    const byName = z.object({ notes: z.record(z.string(), thirdParty(z.string())) });
    expect(() => thirdPartyFields(byName)).toThrow('notes has third-party text where it cannot be marked');
    const pair = z.object({ pair: z.tuple([thirdParty(z.string())]) });
    expect(() => thirdPartyFields(pair)).toThrow('pair is of a kind whose parts are not known: tuple');
  });

  it('can be a third party in a write only if answers about its approval mark it', () => {
    const plan = () => Promise.reject(new Error('never called'));
    defineWrite({ ...WRITE, output: z.object({ title: thirdParty(z.string()) }), plan });
    // @ts-expect-error `said` is not in `thirdPartyInWrites`
    defineWrite({ ...WRITE, output: z.object({ said: thirdParty(z.string()) }), plan });
  });
});

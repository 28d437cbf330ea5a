import { expect, it } from 'vitest';
import * as z from 'zod';
import { ERRORS } from '../../../core/contract/errors.ts';
import { EVENTS } from '../../../core/events/webhook-event.ts';
import { CATALOGUE } from '../../../core/tools/catalogue.ts';

// Every text of an answer is one of these: a closed set, a form of Countersign's, marked as third-party text, or listed
// below with its author.

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
const WRITTEN_BY: Readonly<Record<string, string>> = {
  instructions: 'a fixed sentence',
  meaning: 'a fixed sentence',
  untrusted_notice: 'a fixed sentence',
  'untrusted_fields[]': 'paths of fields',
  plan: 'a word of ours',
  'credential.kind': 'a word of ours',
  'accounts[].error': 'a word of ours',
  action: 'a word of ours',
  'items[].code': 'a word of ours',
  'events[].status': 'a word of ours',
  'events[].left_out[]': 'a word of ours, one of LEFT_OUT',
  'image.format': 'a word of ours',
  'links[].added_by': 'a word of ours',
  'approval.tool': 'the name of a tool',
  'approval.action': 'a word of ours',
  'approval.error': 'a word of ours',
  'approval.rejection.note': "the owner's",
  'approval.edited.diff': "the agent's words and the owner's",
  'approval.result.*': 'the result of its tool',
  'approvals[].tool': 'the name of a tool',
  'approvals[].action': 'a word of ours',
  'approvals[].error': 'a word of ours',
  'approvals[].rejection.note': "the owner's",
  'approvals[].edited.diff': "the agent's words and the owner's",
  'approvals[].result.*': 'the result of its tool',
  'not_sent[]': 'marked in each answer about its request',
  timezone: "the owner's",
  'fences.recipients[]': "the owner's",
  'accounts[].label': "the owner's",
  'accounts[].email': "the owner's",
  'accounts[].folders[].display_name': "the owner's folder",
  'folders[].name': "the owner's folder",
  folder: "the owner's folder",
  'messages[].folder': "the owner's folder",
  'links[].folder': "the owner's folder",
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

function textsOf(schema: z.ZodType): string[] {
  return openTexts(z.toJSONSchema(schema, { unrepresentable: 'any' }));
}

it('nothing in the details of an error or the data of a webhook can be the text of a third party', () => {
  const errors = Object.entries(ERRORS).flatMap(([code, { details }]) =>
    details === null ? [] : textsOf(details).map((path) => `${code} ${path}`),
  );
  const events = Object.entries(EVENTS).flatMap(([type, { data }]) =>
    textsOf(data).map((path) => `${type} ${path}`),
  );
  expect([...errors, ...events].sort()).toEqual(Object.keys(UNMARKED).sort());
});

it('the message of an error is fixed', () => {
  for (const { message } of Object.values(ERRORS)) expect(message).toMatch(/^[A-Z][\w\s.,;:'/-]+\.$/);
});

it('every text in a result is marked as third-party text, or somebody else is known to write it', () => {
  const texts = CATALOGUE.flatMap((tool) => {
    const outputs = tool.kind === 'light' ? [tool.output, tool.directOutput] : [tool.output];
    return outputs.flatMap(textsOf).filter((path) => !tool.untrusted.includes(path));
  });
  expect([...new Set(texts)].sort()).toEqual(Object.keys(WRITTEN_BY).sort());
});

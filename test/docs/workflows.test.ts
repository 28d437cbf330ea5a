import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { documentText, filesOfRepository, ROOT } from './documents.ts';

// Nothing runs the files of .github before they are pushed, so they are read here: what they may do, and what they call.

const FILES = filesOfRepository().filter((file) => /^\.github\/.*\.ya?ml$/.test(file));
const WORKFLOWS = FILES.filter((file) => file.startsWith('.github/workflows/'));
const FORMS = FILES.filter((file) => /^\.github\/ISSUE_TEMPLATE\/(?!config\.)/.test(file));

function read(file: string): unknown {
  const document = parseDocument(documentText(file));
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS();
}

const step = z.union([
  z.strictObject({
    uses: z.string().regex(/^[\w-]+\/[\w/-]+@(v\d+(\.\d+)*|[0-9a-f]{40})$/, 'is not pinned'),
    with: z.object({ 'persist-credentials': z.literal(false) }),
  }),
  z.strictObject({ run: z.string() }),
]);
const job = z.strictObject({
  'runs-on': z.literal('ubuntu-latest'),
  container: z.strictObject({ image: z.string(), options: z.string() }),
  'timeout-minutes': z.int().max(360),
  env: z.record(z.string(), z.string()).optional(),
  steps: z.array(step),
});
/** Jobs ask for no permissions of their own. */
const workflow = z.strictObject({
  name: z.string(),
  on: z.record(z.string(), z.unknown()),
  permissions: z.strictObject({ contents: z.literal('read') }),
  concurrency: z.unknown().optional(),
  jobs: z.record(z.string(), job),
});

const field = { id: z.string(), validations: z.strictObject({ required: z.boolean() }).optional() };
const words = z.strictObject({
  label: z.string(),
  description: z.string().optional(),
  placeholder: z.string().optional(),
});
const form = z.strictObject({
  name: z.string(),
  description: z.string(),
  labels: z.array(z.string()),
  body: z.array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: z.string() }) }),
      z.strictObject({ type: z.literal('input'), ...field, attributes: words }),
      z.strictObject({
        type: z.literal('textarea'),
        ...field,
        attributes: words.extend({ render: z.string().optional() }),
      }),
    ]),
  ),
});

/** The scripts that a command calls. */
function scriptsIn(command: string): string[] {
  const named = Array.from(command.matchAll(/^npm run ([\w:]+)/gm), ([, name = '']) => name);
  const files = Array.from(command.matchAll(/^(\.ci\/[\w-]+)/gm), ([, file = '']) => file);
  return [...named, ...files];
}

function isThere(script: string): boolean {
  if (!script.includes('/')) return Object.hasOwn(packageJson.scripts, script);
  try {
    accessSync(join(ROOT, script), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

it('every file is one that YAML can read', () => {
  for (const file of FILES) read(file);
  expect(FILES).toEqual(
    expect.arrayContaining(['.github/dependabot.yml', '.github/ISSUE_TEMPLATE/config.yml']),
  );
});

describe.each(WORKFLOWS)('%s', (file) => {
  const { jobs } = workflow.parse(read(file));

  it('calls scripts that are there', () => {
    for (const { steps } of Object.values(jobs)) {
      const scripts = steps.flatMap((one) => ('run' in one ? scriptsIn(one.run) : []));
      expect(scripts).not.toEqual([]);
      expect(scripts.filter((script) => !isThere(script))).toEqual([]);
    }
  });

  it('runs on the oldest Node that the package allows', () => {
    const [oldest] = /\d+/.exec(packageJson.engines.node) ?? [];
    const images = Object.values(jobs).map(({ container }) => container.image);
    expect(images).toEqual(images.map(() => `node:${oldest}-bookworm`));
  });
});

it('pushes and pull requests run everything, and each night runs it long', () => {
  const [ci, long] = ['ci', 'long'].map((name) => workflow.parse(read(`.github/workflows/${name}.yml`)));
  expect(Object.keys(ci?.on ?? {})).toEqual(['push', 'pull_request']);
  expect(JSON.stringify(ci?.jobs)).toContain('.ci/run');
  expect(Object.keys(long?.on ?? {})).toContain('schedule');
  expect(JSON.stringify(long?.jobs)).toContain('npm run test:long');
});

it.each(FORMS)('%s is a form that asks for each thing once', (file) => {
  const { body } = form.parse(read(file));
  const ids = body.flatMap((one) => ('id' in one ? one.id : []));
  expect(ids).not.toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});

it('a bug comes with what doctor reports', () => {
  expect(documentText('.github/ISSUE_TEMPLATE/bug.yml')).toContain('`countersign doctor --json`');
  expect(documentText('docs/reference/settings.md')).toContain('countersign doctor [--owner EMAIL] [--json]');
});

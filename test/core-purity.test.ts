import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

// Core has no clock, randomness, timer or environment of its own. Its caller passes them in.

const FORBIDDEN_GLOBALS = new Set([
  'process',
  'performance',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
]);

/** In any form: `randomBytes`, `crypto.randomBytes`, or an import of it. */
const FORBIDDEN_NAMES = new Set([
  'randomBytes',
  'randomFill',
  'randomFillSync',
  'randomInt',
  'randomUUID',
  'getRandomValues',
]);

const FORBIDDEN_PATHS = new Set(['Date.now', 'Math.random', 'Temporal.Now']);

describe('core', () => {
  const core = resolve(import.meta.dirname, '../core');
  const files = readdirSync(core, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );

  it('has files to check', () => {
    expect(files.length).toBeGreaterThan(10);
  });

  it.each(files)('%s receives time, randomness and settings from its caller', (file) => {
    expect(impurities(readFileSync(join(core, file), 'utf8'))).toEqual([]);
  });
});

describe('the check', () => {
  it.each([
    ['const t = Date.now();', 'Date.now'],
    ['const t = new Date();', 'new Date()'],
    ['const t = new Date;', 'new Date()'],
    ['const t = Date();', 'Date()'],
    ['const n = Math.random();', 'Math.random'],
    ['const n = Temporal.Now.instant();', 'Temporal.Now'],
    ['const e = process.env.HOME;', 'process'],
    ['const e = globalThis.process;', 'process'],
    ["import { randomUUID } from 'node:crypto';", 'randomUUID'],
    ['const b = crypto.randomBytes(16);', 'randomBytes'],
    ['setTimeout(go, 1);', 'setTimeout'],
    ['const later = setInterval;', 'setInterval'],
  ])('finds %s', (text, found) => {
    expect(impurities(text)).toEqual([found]);
  });

  it.each([
    'const t = new Date(ms); // not Date.now()',
    'const t = Date.parse(text) + Date.UTC(2026, 0, 1);',
    'interface Clock { now(): Date; setTimeout?: string }',
    'const e = plan.process; mail.fetch(id);',
    'const text = "Math.random()";',
  ])('lets pass %s', (text) => {
    expect(impurities(text)).toEqual([]);
  });
});

function impurities(text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = impurity(node);
    if (name !== undefined) found.push(name);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('core.ts', text, ts.ScriptTarget.ES2023, true));
  return found;
}

function impurity(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) {
    const path = node.getText();
    return FORBIDDEN_PATHS.has(path) ? path : undefined;
  }
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
    if (node.expression.getText() !== 'Date') return undefined;
    if (ts.isCallExpression(node)) return 'Date()';
    return node.arguments === undefined || node.arguments.length === 0 ? 'new Date()' : undefined;
  }
  if (!ts.isIdentifier(node)) return undefined;
  if (FORBIDDEN_NAMES.has(node.text)) return node.text;
  return FORBIDDEN_GLOBALS.has(node.text) && isGlobal(node) ? node.text : undefined;
}

/**
 * Whether an identifier is a global: on its own or as a member of globalThis, not a member of something else.
 */
function isGlobal(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    return parent.expression.getText() === 'globalThis';
  }
  return !(
    (ts.isPropertySignature(parent) || ts.isMethodSignature(parent) || ts.isPropertyAssignment(parent)) &&
    parent.name === node
  );
}

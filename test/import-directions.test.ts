import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { guardedBy, IMPORT_RULES, importRules } from './import-rules.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDERS = ['core', 'adapters', 'hosts'];
const ROOM_RULE = 'core-room-';
/** The rooms of core, lowest first. */
const ROOMS = (await ruleNames()).flatMap((name) =>
  name.startsWith(ROOM_RULE) ? [name.slice(ROOM_RULE.length)] : [],
);

describe('imports', () => {
  it('point inward: hosts → core ← adapters', async () => {
    const files = await sourceFiles();
    const { modules, violations } = await cruise(ROOT, FOLDERS);
    expect(violations).toEqual([]);
    // The tool passes if it could read nothing: with an unsupported TypeScript version it finds no modules.
    expect(modules).toEqual(expect.arrayContaining(files));
    expect(files.length).toBeGreaterThan(0);
  });

  it('know every room of core', async () => {
    const entries = await readdir(join(ROOT, 'core'), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(ROOMS.toSorted()).toEqual(folders.toSorted());
  });
});

describe('every library', () => {
  /** They parse nothing that strangers wrote, or only the protocol of a server. */
  const OTHERS = [
    '@modelcontextprotocol/server',
    'ajv',
    'better-sqlite3',
    'diff',
    'imapflow',
    'nodemailer',
    'oauth4webapi',
    'pg',
    'preact',
    'preact-render-to-string',
    'timezones-ical-library',
    // Writes requests. What servers answer is not given to it.
    'tsdav',
    'uqr',
    'vitest',
    'ws',
    'zod',
  ];

  it('is known: it parses strangers’ bytes, and is kept apart, or it does not', async () => {
    const parsers = await guardedBy('parsers-apart');
    const isParser = (name: string) => parsers.test(`node_modules/${name}/`);
    const manifest = z.object({
      dependencies: z.record(z.string(), z.string()),
      peerDependencies: z.record(z.string(), z.string()),
    });
    const { dependencies, peerDependencies } = manifest.parse(
      JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')),
    );
    const all = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
    expect(all.filter((name) => !isParser(name)).toSorted()).toEqual(OTHERS);
  });
});

describe('the rules', () => {
  const right: Record<string, string> = {
    'core/text/form.ts':
      "import { createHmac } from 'node:crypto';\nimport { z } from 'zod';\nexport { createHmac, z };",
    'core/text/pure.ts': 'export const pure = 1;',
    'core/index.ts': "export * from './text/form.ts';",
    'core/loose.ts': 'export const loose = 1;',
    ...Object.fromEntries(ROOMS.slice(1).map((room) => [`core/${room}/later.ts`, 'export const later = 1;'])),
    'core/ports/clock.ts': 'export const clock = 1;',
    'core/work/round.ts': "export * from '../ports/clock.ts';",
    'core/watching/inbox-state.ts': 'export const inboxes = 1;',
    'core/notices/notice-storage.ts': "export * from '../watching/inbox-state.ts';",
    'core/mail/compose.ts': "export * from '../text/form.ts';",
    'core/reading/xml-shapes.ts': 'export const shapes = 1;',
    'adapters/remote/xml.ts': "export * from '../../core/reading/xml-shapes.ts';",
    'adapters/smtp/transmit.ts': "export * from '../../core/mail/compose.ts';",
    'adapters/imap/mail.ts': "export * from '../smtp/transmit.ts';",
    'adapters/sql/row.ts': "export * from '../../core/text/form.ts';",
    'adapters/sqlite/storage.ts':
      "import Database from 'better-sqlite3';\nexport * from '../sql/row.ts';\nexport { Database };",
    'adapters/sandbox/box.ts': "export * from '../../core/ical/later.ts';",
    'adapters/reader/worker.ts': "export * from '../../core/readers/later.ts';",
    'adapters/extract/pdf.ts': "import 'unpdf';\nexport * from '../../core/mime/later.ts';",
    'core/mime/later.ts': "import 'postal-mime';\nexport const later = 1;",
    'core/mail/header-text.ts': "import 'postal-mime';",
    'hosts/rest/handler.ts': "export * from '../../core/text/form.ts';",
    'hosts/dashboard/signed.ts': "import 'node:crypto';",
    'hosts/dashboard/shared.ts': "export * from '../../core/text/pure.ts';",
    'hosts/dashboard/assets.ts': "import './browser/page/page.ts?script';",
    'hosts/dashboard/browser/page/page.ts': "import '../../shared.ts';",
    'hosts/server/cli.ts':
      "export * from '../rest/handler.ts';\nexport * from '../../adapters/imap/mail.ts';",
    'test/mail.ts': "export * from '../core/text/form.ts';",
  };

  const wrong: { rule: string; file: string; text: string }[] = [
    { rule: 'core-inward', file: 'core/text/adapter.ts', text: "import '../../adapters/imap/mail.ts';" },
    {
      rule: 'core-inward',
      file: 'core/text/host.ts',
      text: "import type { z } from '../../hosts/rest/handler.ts';",
    },
    { rule: 'core-inward', file: 'core/text/test.ts', text: "import '../../test/mail.ts';" },
    { rule: 'core-pure-libraries', file: 'core/text/library.ts', text: "import 'imapflow';" },
    {
      rule: 'core-pure-libraries',
      file: 'core/text/type.ts',
      text: "import type { ImapFlow } from 'imapflow';",
    },
    { rule: 'core-node-pure', file: 'core/text/node.ts', text: "import 'node:http';" },
    { rule: 'core-node-pure', file: 'core/text/bare.ts', text: "import 'fs';" },
    { rule: 'core-has-rooms', file: 'core/text/loose.ts', text: "import '../loose.ts';" },
    ...ROOMS.map((room, place) => {
      const later = ROOMS[place + 1];
      const text = later === undefined ? "import '../index.ts';" : `import '../${later}/later.ts';`;
      return { rule: `${ROOM_RULE}${room}`, file: `core/${room}/early.ts`, text };
    }),
    {
      rule: 'core-state',
      file: 'core/trackers/tracker-storage.ts',
      text: "import '../work/round.ts';",
    },
    { rule: 'core-reading-rooms', file: 'core/html/port.ts', text: "import '../ports/later.ts';" },
    { rule: 'read-apart', file: 'hosts/rest/html.ts', text: "import '../../core/html/later.ts';" },
    { rule: 'read-apart', file: 'adapters/imap/html.ts', text: "import '../../core/html/later.ts';" },
    { rule: 'read-apart', file: 'core/adapter.ts', text: "import type { later } from './mime/later.ts';" },
    {
      rule: 'documents-apart',
      file: 'adapters/extract/attachment-text.ts',
      text: "import './pdf.ts';",
    },
    { rule: 'documents-apart', file: 'adapters/reader/process-reader.ts', text: "import './worker.ts';" },
    { rule: 'parsers-apart', file: 'core/mail/message-row.ts', text: "import 'parse5';" },
    { rule: 'parsers-apart', file: 'adapters/sandbox/xml.ts', text: "import 'saxes';" },
    { rule: 'adapters-inward', file: 'adapters/smtp/host.ts', text: "import '../../hosts/rest/handler.ts';" },
    { rule: 'adapters-apart', file: 'adapters/sandbox/imap.ts', text: "import '../imap/mail.ts';" },
    { rule: 'adapters-apart', file: 'adapters/smtp/imap.ts', text: "import '../imap/mail.ts';" },
    { rule: 'imap-apart', file: 'adapters/imap/sandbox.ts', text: "import '../sandbox/box.ts';" },
    { rule: 'notices-apart', file: 'adapters/notices/imap.ts', text: "import '../imap/mail.ts';" },
    { rule: 'index-apart', file: 'adapters/mail-index/storage.ts', text: "import '../sqlite/storage.ts';" },
    { rule: 'storage-apart', file: 'adapters/postgres/sqlite.ts', text: "import '../sqlite/storage.ts';" },
    { rule: 'storage-apart', file: 'adapters/sqlite/smtp.ts', text: "import '../smtp/transmit.ts';" },
    { rule: 'hosts-inward', file: 'hosts/rest/imap.ts', text: "import '../../adapters/imap/mail.ts';" },
    { rule: 'server-inward', file: 'hosts/server/test.ts', text: "import '../../test/mail.ts';" },
    { rule: 'embedded-small', file: 'hosts/embedded/rest.ts', text: "import '../rest/handler.ts';" },
    { rule: 'embedded-small', file: 'hosts/embedded/library.ts', text: "import 'zod';" },
    { rule: 'browser-pure', file: 'hosts/dashboard/browser/page/node.ts', text: "import '../../signed.ts';" },
    { rule: 'browser-pure', file: 'hosts/dashboard/browser/worker/library.ts', text: "import 'zod';" },
    { rule: 'no-dev-dependencies', file: 'hosts/rest/dev.ts', text: "import 'fast-check';" },
    { rule: 'no-cycles', file: 'core/text/ring-a.ts', text: "import './ring-b.ts';" },
    { rule: 'no-orphans', file: 'core/text/orphan.ts', text: 'export const alone = 1;' },
    { rule: 'resolvable', file: 'core/text/unresolved.ts', text: "import './missing.ts';" },
  ];

  it('find each wrong import, and no other', async () => {
    const house = await mkdtemp(join(tmpdir(), 'countersign-imports-'));
    onTestFinished(() => rm(house, { recursive: true }));
    for (const name of ['node_modules', 'package.json']) await symlink(join(ROOT, name), join(house, name));
    await write(house, { ...right, 'core/text/ring-b.ts': "import './ring-a.ts';" });
    await write(house, Object.fromEntries(wrong.map(({ file, text }) => [file, text])));

    const { violations } = await cruise(house, FOLDERS);
    const expected = wrong.map(({ rule, file }) => `${rule}: ${file}`);
    expect(violations.toSorted()).toEqual(expected.toSorted());
    // Every rule has a case.
    expect(new Set(wrong.map(({ rule }) => rule))).toEqual(new Set(await ruleNames()));
  });
});

async function sourceFiles(): Promise<string[]> {
  const files: string[] = [];
  for (const folder of FOLDERS) {
    for (const entry of await readdir(join(ROOT, folder), { recursive: true })) {
      if (/\.tsx?$/.test(entry)) files.push(join(folder, entry));
    }
  }
  return files;
}

async function write(house: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(house, path)), { recursive: true });
    await writeFile(join(house, path), text);
  }
}

async function ruleNames(): Promise<string[]> {
  return (await importRules()).map(({ name }) => name);
}

const Report = z.object({
  modules: z.array(z.object({ source: z.string() })),
  summary: z.object({
    violations: z.array(z.object({ from: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});

async function cruise(
  house: string,
  paths: readonly string[],
): Promise<{ modules: string[]; violations: string[] }> {
  const tool = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [tool, '--config', IMPORT_RULES, '--output-type', 'json', ...paths],
    { cwd: house, maxBuffer: 64 * 1024 * 1024 },
  );
  const { modules, summary } = Report.parse(JSON.parse(stdout));
  return {
    modules: modules.map(({ source }) => source),
    violations: summary.violations.map(({ from, rule }) => `${rule.name}: ${from}`),
  };
}

import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { blocksIn, documentText, sectionOf } from '../docs/documents.ts';
import { casesOf, isLong } from '../only-long.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { readDeclarations, unreachableTypes } from './declarations.ts';
import { EXPORTED_NAMES } from './exported-names.ts';
import { bundledBytes, packageSizes } from './installed-size.ts';
import { nodeBinaries } from './node-binaries.ts';
import { hasRegistry, npm } from './npm.ts';
import { type PackedPackage, packPackage } from './packed-package.ts';
import PUBLIC_NAMES from './public-names.json' with { type: 'json' };

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

const missing = (await hasRegistry()) ? [] : ['the npm registry'];
/** The one that runs this, or the newest of each version that the package allows. */
const ownNode = { major: Number.parseInt(process.versions.node, 10), path: process.execPath };
const nodes = isLong && missing.length === 0 ? await nodeBinaries() : [ownNode];

const DRIVERS = [
  {
    name: 'better-sqlite3',
    versionOn: (major: number) => (major < 22 ? 12 : 13),
    call: "import { sqliteStorage } from 'countersign/sqlite'; sqliteStorage({ file: ':memory:' });",
    databaseUrl: 'file:./app.db',
  },
  {
    name: 'pg',
    versionOn: () => 8,
    call: "import { postgresStorage } from 'countersign/postgres'; postgresStorage({ connectionString: 'postgres://u@127.0.0.1/d' });",
    databaseUrl: 'postgres://u@127.0.0.1/d',
  },
];

describe.skipIf(missing.length > 0)(titledWithout(missing, 'the packed package'), () => {
  let packed: PackedPackage;
  beforeAll(async () => {
    packed = await packPackage();
  });
  afterAll(() => packed?.remove());

  describe.each(nodes)('in an empty project on Node $major', ({ major, path: node }) => {
    let project: string;
    beforeAll(async () => {
      project = await packed.install(node);
    });

    it('imports every export, without a driver', async () => {
      const code = EXPORTED_NAMES.map((name) => `await import('${name}');`).join('\n');
      await expect(evaluate(node, project, code)).resolves.toEqual({ stdout: '', stderr: '' });
    });

    it('is required and imported by CommonJS', async () => {
      const { javascript } = documentedBlocks();
      const file = join(project, 'app.cjs');
      await writeFile(
        file,
        `${javascript}\nimport('countersign').then((it) => console.log(it.createService === createService));`,
      );
      await expect(run(node, [file])).resolves.toEqual({ stdout: 'true\n', stderr: '' });
    });

    it.each(DRIVERS)(
      'says what to install if $name is missing, also in the bundled server',
      async ({ name, versionOn, call, databaseUrl }) => {
        const told = `needs the package ${name}, version `;
        const remedy = `but it is not installed. Run: npm install ${name}@${versionOn(major)}\n`;
        const stderr = expect.stringMatching(new RegExp(`${told}[^\\n]*${remedy}`));
        await expect(evaluate(node, project, call)).rejects.toMatchObject({ code: 1, stderr });

        const cli = join(project, 'node_modules/.bin/countersign');
        const env = { COUNTERSIGN_PORT: '0', COUNTERSIGN_DATABASE_URL: databaseUrl };
        const serve = run(node, [cli, 'serve'], { cwd: project, env });
        const oneLine = expect.stringMatching(new RegExp(`^[^\\n]*${told}[^\\n]*${remedy}$`));
        await expect(serve).rejects.toMatchObject({ code: 1, stdout: '', stderr: oneLine });
      },
    );

    // better-sqlite3 12 would have to be compiled here, so Node 20 gets the one that runs these tests.
    const hasOwn = process.versions.node.startsWith('20.');
    const unable = major === 20 && !hasOwn ? ['Node 20 for the whole run'] : [];
    it.skipIf(unable.length > 0)(titledWithout(unable, 'runs the quickstart'), async () => {
      const driver = major === 20 ? join(ROOT, 'node_modules/better-sqlite3') : 'better-sqlite3@13';
      await npm(project, ['install', '--engine-strict', '--ignore-scripts', driver], node);
      await cp(join(ROOT, 'examples/quickstart.mjs'), join(project, 'quickstart.mjs'));
      await expect(run(node, ['quickstart.mjs'], { cwd: project })).resolves.toEqual({
        stdout: 'It waited for its owner, and was sent once.\n',
        stderr: '',
      });
    });
  });

  const wrongDrivers = [
    {
      node: 20,
      version: 13,
      fault: 'which would crash it',
      message: 'but version 13[^ ]+ is installed. Run: npm install better-sqlite3@12\n',
    },
    {
      node: 24,
      version: 12,
      fault: 'which has no binary',
      message: 'has no binary for Node 24[^\\n]+ Run: npm rebuild better-sqlite3\n',
    },
  ];
  it.each(casesOf('package: nodes', wrongDrivers, () => false))(
    'says what to run on Node $node with better-sqlite3 $version, $fault',
    async ({ node: major, version, message }) => {
      const node = nodes.find((each) => each.major === major)?.path;
      const project = await packed.install(node);
      await npm(project, ['install', '--ignore-scripts', `better-sqlite3@${version}`], node);
      const code = "import { sqliteStorage } from 'countersign/sqlite'; sqliteStorage({ file: ':memory:' });";
      const stderr = expect.stringMatching(new RegExp(message));
      await expect(evaluate(node ?? '', project, code)).rejects.toMatchObject({ code: 1, stderr });
    },
  );

  describe('in one project', () => {
    let project: string;
    beforeAll(async () => {
      project = await packed.install();
    });

    it('takes less than 50 MB without a driver', async () => {
      const sizes = await packageSizes(project);
      expect(sizes.map(({ name }) => name)).toContain('countersign');
      expect(sizes.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(50_000_000);
    });

    it('exports exactly the names that are listed, and names only types that an app can import', () => {
      const entries = Object.entries(packageJson.exports).flatMap(([path, entry]) =>
        typeof entry === 'string'
          ? []
          : [{ path, file: join(project, 'node_modules/countersign', entry.types) }],
      );
      const declarations = readDeclarations(entries.map(({ file }) => file));
      const names = entries.map(({ path }, at) => [
        path,
        (declarations.exported[at] ?? []).map(({ name }) => name).toSorted(),
      ]);
      // A name that is added or removed concerns everybody who embeds Countersign.
      expect(Object.fromEntries(names)).toEqual(PUBLIC_NAMES);
      // Only the package itself calls a storage. `RowOf` is worked out by the compiler, from the table of what is stored.
      const unreachable = unreachableTypes(declarations).filter(
        (one) => !one.startsWith('RowOf ') && !one.endsWith('(named by Storage)'),
      );
      expect(unreachable).toEqual([
        // The compiler works these out of tables. Their results are what an app sees.
        'DetailsPart (named by Failure)',
        'ErrorArguments (named by ServiceError)',
        'ForSeveral (named by OneOrSeveral)',
        'ResultForOne (named by OneOrSeveral)',
        'ResultForOne (named by OutcomeForOne)',
        'Sides (named by JobInput)',
        'Sides (named by JobOutput)',
        'TypesOf (named by OneOrSeveral)',
        'TypesOf (named by ToolArguments)',
        'TypesOf (named by ToolOutcome)',
      ]);
    });

    it('bundles countersign/webhooks in less than 20 KB', async () => {
      expect(await bundledBytes(project, 'countersign/webhooks')).toBeLessThan(20_000);
    });

    const resolutions = ['node16', 'nodenext', 'bundler'] as const;
    it.each(casesOf('package: resolutions', resolutions, (resolution) => resolution === 'nodenext'))(
      'type-checks under %s',
      async (resolution) => {
        const { typescript } = documentedBlocks();
        const files = {
          'tsconfig.json': JSON.stringify(tsconfig(resolution)),
          'every.mts': EXPORTED_NAMES.map((name, place) => `export * as export${place} from '${name}';`).join(
            '\n',
          ),
          'wrong.mts': `import { createService } from 'countersign';
// @ts-expect-error The options are missing.
createService({});`,
          ...(resolution !== 'bundler' && { 'dynamic.cts': typescript }),
          ...(resolution === 'nodenext' && {
            'static.cts':
              "import { createService } from 'countersign';\nexport const create = createService;",
          }),
        };
        const folder = join(project, resolution);
        await mkdir(folder);
        for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
        // Version 7 takes an eighth of the time.
        const compiler = isLong ? 'typescript' : 'typescript-native';
        const tsc = join(ROOT, 'node_modules', compiler, 'bin/tsc');
        await expect(run(process.execPath, [tsc, '--project', folder])).resolves.toEqual({
          stdout: '',
          stderr: '',
        });
      },
    );
  });
});

function tsconfig(resolution: 'node16' | 'nodenext' | 'bundler'): object {
  return {
    compilerOptions: {
      module: resolution === 'bundler' ? 'esnext' : resolution,
      moduleResolution: resolution,
      target: 'es2023',
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      // Checking the declarations takes five times as long as the rest. Once is enough.
      skipLibCheck: resolution !== 'nodenext',
    },
  };
}

function evaluate(node: string, folder: string, code: string): Promise<{ stdout: string; stderr: string }> {
  return run(node, ['--input-type=module', '--eval', code], { cwd: folder });
}

/** The code in the section for CommonJS and TypeScript. */
function documentedBlocks(): { javascript: string; typescript: string } {
  const section = sectionOf(documentText('docs/embedding.md'), 'CommonJS and TypeScript');
  const [[javascript], [typescript]] = [blocksIn(section, 'js'), blocksIn(section, 'ts')];
  expect(javascript).toContain('require(');
  expect(typescript).toContain('await import(');
  return { javascript, typescript };
}

import { execFile, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { blocksIn, documentText, sectionOf } from '../docs/documents.ts';
import { type RestClient, restClient } from '../e2e/rest-client.ts';
import { buildCli, type Cli } from '../hosts/server/cli-process.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { PROGRAMS } from './client-programs.ts';
import { nodeBinaries } from './node-binaries.ts';
import { hasRegistry, npm } from './npm.ts';

const run = promisify(execFile);
const TYPESCRIPT = resolve(import.meta.dirname, '../../node_modules/typescript/lib/tsc.js');

/** They are large, so they are not dependencies: only this project gets them. */
const PACKAGES = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.99.0',
  'orval@8.38.0',
  'oazapfts@7.5.0',
  'swagger-typescript-api@13.13.0',
  'quicktype@26.0.0',
  '@asyncapi/modelina@5.10.1',
];

/** What their own code does not compile under. All compile under `strict`. */
const TOO_STRICT: Readonly<Record<string, readonly string[]>> = {
  'hey-api': ['--exactOptionalPropertyTypes'],
  oazapfts: ['--exactOptionalPropertyTypes'],
};

/** Types that have the same names in every language. */
const NAMED = ['SendEmailArguments', 'SendEmailAnswer', 'PendingApproval', 'MessageReceivedEvent'];

/** Reads the example of each answer, and an answer of the server, by the types of quicktype. */
const READ_ANSWERS = `
import countersign, json

document = json.load(open('openapi.json'))
names = set(name for name in document['components']['schemas'] if hasattr(countersign, name))
failed = []
for path in document['paths'].values():
    for operation in path.values():
        for answer in operation['responses'].values():
            if '$ref' in answer:
                answer = document['components']['responses'][answer['$ref'].split('/')[-1]]
            body = answer.get('content', {}).get('application/json', {})
            name = body.get('schema', {}).get('$ref', '').split('/')[-1]
            if name not in names:
                continue
            read = getattr(countersign, name).from_dict(body['example']).to_dict()
            if read.keys() != body['example'].keys():
                failed.append(name)
me = countersign.GetMeResult.from_dict(json.load(open('me.json')))
print(json.dumps({'plan': me.plan, 'failed': failed, 'names': sorted(names)}))
`;

/** Modelina has no command. It keeps the names of schemas that have an $id. */
const MODELINA = `
import { mkdirSync, readFileSync } from 'node:fs';
import { JavaFileGenerator } from '@asyncapi/modelina';

const { schemas } = JSON.parse(readFileSync('openapi.json', 'utf8').replaceAll('#/components/schemas/', '#/definitions/')).components;
const names = Object.keys(schemas);
mkdirSync('java');
await new JavaFileGenerator().generateToFiles(
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'Countersign',
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: '#/definitions/' + name }])),
    definitions: Object.fromEntries(names.map((name) => [name, { $id: name, ...schemas[name] }])),
  },
  'java',
  { packageName: 'countersign' },
);
`;

const runs = (program: string, ...args: string[]) =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0;
const noPython = runs('python3', '-c', 'import dateutil.parser') ? [] : ['Python with dateutil'];
const noJava = runs('javac', '-version') ? [] : ['javac'];
const missing = (await hasRegistry()) ? [] : ['the npm registry'];

describe.skipIf(missing.length > 0)(
  titledWithout(missing, 'clients that others generate from openapi.json, as docs/agents.md says'),
  () => {
    let cli: Cli;
    let server: Awaited<ReturnType<Cli['serve']>>;
    let rest: RestClient;
    let project: string;
    let env: NodeJS.ProcessEnv;
    beforeAll(async () => {
      cli = await buildCli();
      server = await cli.serve(['serve', '--demo', '--json']);
      rest = restClient(server.base_url, server.api_key ?? '');
      project = await mkdtemp(join(tmpdir(), 'countersign-clients-'));
      await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');
      await npm(project, ['install', '--ignore-scripts', ...PACKAGES]);
      // Some generators need a newer Node than the one that runs the tests.
      const newest = (await nodeBinaries()).at(-1)?.path ?? '';
      env = { PATH: [dirname(newest), process.env.PATH].join(delimiter), HOME: project };
      const page = sectionOf(documentText('docs/agents.md'), 'A generated client');
      await writeFile(join(project, 'orval.config.mjs'), blocksIn(page, 'js')[0]);
      const commands = blocksIn(page, 'sh')[0];
      expect(commands).toContain('http://127.0.0.1:8787');
      const own = commands.replace('http://127.0.0.1:8787', server.base_url);
      await run('bash', ['-e', '-c', own], { cwd: project, env });
    });
    afterAll(async () => {
      await server?.stop('SIGTERM');
      cli?.remove();
      if (project !== undefined) await rm(project, { recursive: true });
    });

    it.each(Object.entries(PROGRAMS))(
      'of %s compile under strict, and a program runs on it',
      async (generator, program) => {
        const source = join(project, `uses-${generator}.ts`);
        await writeFile(source, program);
        const all = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];
        const rules = all.filter((rule) => TOO_STRICT[generator]?.includes(rule) !== true);
        const target = ['--target', 'es2023', '--lib', 'es2023,dom,dom.iterable', '--module', 'preserve'];
        const compiler = ['--ignoreConfig', '--noEmit', '--allowImportingTsExtensions', ...target, ...rules];
        expect(await printedBy(process.execPath, [TYPESCRIPT, ...compiler, source])).toBe('');

        const outfile = join(project, `uses-${generator}.mjs`);
        await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'esm' });
        const subject = `Hello from ${generator}`;
        const given = {
          COUNTERSIGN_URL: server.base_url,
          COUNTERSIGN_KEY: server.api_key,
          COUNTERSIGN_SUBJECT: subject,
        };
        const { stdout } = await run(process.execPath, [outfile], { env: given });
        expect(stdout.trim().split('\n')).toEqual([
          `unread ${(await unreadSubjects()).join()}`,
          'waits pending send_email true',
          'refused to[0]',
          'not found not_found approval',
        ]);
      },
    );

    it.skipIf(noPython.length > 0)(
      titledWithout(noPython, 'of quicktype for Python read every answer'),
      async () => {
        await writeFile(join(project, 'read-answers.py'), READ_ANSWERS);
        const { body } = await rest.get('/v1/me');
        await writeFile(join(project, 'me.json'), JSON.stringify(body));
        const read = JSON.parse(await printedBy('python3', ['read-answers.py'])) as unknown;
        expect(read).toEqual({ plan: 'paid', failed: [], names: expect.arrayContaining(NAMED) as unknown });
      },
    );

    it.skipIf(noJava.length > 0)(titledWithout(noJava, 'of Modelina for Java compile'), async () => {
      await writeFile(join(project, 'modelina.mjs'), MODELINA);
      await run('node', ['modelina.mjs'], { cwd: project, env });
      const files = readdirSync(join(project, 'java')).map((name) => join('java', name));
      expect(files).toEqual(expect.arrayContaining(NAMED.map((name) => join('java', `${name}.java`))));
      expect(await printedBy('javac', ['-d', 'classes', ...files])).toBe('');
    });

    /** Runs a program in the project. @returns what it prints, errors too */
    function printedBy(program: string, args: readonly string[]): Promise<string> {
      return new Promise((resolve) => {
        execFile(program, args, { cwd: project }, (_error, stdout, stderr) => resolve(stdout + stderr));
      });
    }

    /** The subjects of the newest two unread messages. */
    async function unreadSubjects(): Promise<string[]> {
      const { body } = await rest.get('/v1/messages?unread=true&limit=2');
      const list = z.object({ result: z.object({ messages: z.array(z.object({ subject: z.string() })) }) });
      return list.parse(body).result.messages.map(({ subject }) => subject);
    }
  },
);

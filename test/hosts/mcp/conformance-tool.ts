import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import * as z from 'zod';

/** The official conformance tool of the protocol, `@modelcontextprotocol/conformance`. */

const check = z.looseObject({
  id: z.string(),
  status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
  errorMessage: z.string().optional(),
});

/** A check of a scenario, after its run. A scenario that broke off has the check `end`. */
export interface Checked extends z.infer<typeof check> {
  readonly scenario: string;
}

/**
 * Bundles the tool, because its file does not start on Node 20: it imports `fs.globSync`, for a command that no test
 * uses. As CommonJS, a missing import is only undefined.
 */
async function bundledTool(folder: string): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js');
  const outfile = join(folder, 'conformance.cjs');
  await build({
    ...{ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs', target: 'node20' },
    // The tool reads the lists of required scenarios beside its own file.
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(entry).href) },
    logLevel: 'error',
  });
  return outfile;
}

/**
 * Runs the tool.
 * @param args     of its command line
 * @param onOutput receives what it prints, as it comes
 * @returns every check, by scenario in the order of their names
 */
export async function runConformance(
  args: readonly string[],
  onOutput: (text: string) => void = () => {},
): Promise<Checked[]> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-conformance-'));
  let tool: ChildProcess | undefined;
  try {
    const results = join(folder, 'results');
    const bundle = await bundledTool(folder);
    tool = spawn(process.execPath, [bundle, ...args, '--output-dir', results], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    tool.stdout?.setEncoding('utf8').on('data', onOutput);
    await new Promise((resolve, reject) => tool?.once('close', resolve).once('error', reject));
    return readdirSync(results)
      .sort()
      .flatMap((run) => checksIn(results, run));
  } finally {
    tool?.kill();
    rmSync(folder, { recursive: true });
  }
}

/** @param run  a folder like `server-tools-list-2026-11-22T12-00-00-000Z` */
function checksIn(results: string, run: string): Checked[] {
  const scenario = run.replace(/^(?:server|authorization)-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
  const file = join(results, run, 'checks.json');
  if (!existsSync(file)) return [{ scenario, id: 'end', status: 'FAILURE', errorMessage: 'It broke off.' }];
  return z
    .array(check)
    .parse(JSON.parse(readFileSync(file, 'utf8')))
    .map((one) => ({ ...one, scenario }));
}

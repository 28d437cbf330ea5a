import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

describe('the end of a test run', () => {
  it('counts what passed, failed and was skipped on its last line, and names what was skipped', async () => {
    const output = await run({
      'mixed.test.ts': `
        import { beforeAll, describe, expect, it } from 'vitest';
        it('passes', () => {});
        it('fails', () => expect(1).toBe(2));
        it.skip('alone (no reason)', () => {});
        describe.skip('imap (skipped: needs dovecot)', () => { it('a', () => {}); it('b', () => {}); });
        describe.skip('smtp (skipped: needs dovecot)', () => { it('a', () => {}); });
        describe('a hook', () => {
          beforeAll(() => { throw new Error('no server'); });
          it('never runs', () => {});
        });`,
      'unreadable.test.ts': 'throw new Error("not loaded");',
    });

    expect(output.endsWith('\n\n1 passed, 3 failed, 5 skipped\n')).toBe(true);
    expect(output).toContain(
      'SKIPPED, so not proven:\n' +
        '  - mixed.test.ts > alone (no reason)\n' +
        '  - mixed.test.ts: needs dovecot\n' +
        '  - mixed.test.ts > a hook > never runs\n' +
        'On Debian, as root, `CI=true npm test` installs what is missing here and runs everything.\n',
    );
  });

  it('counts an error outside of any test as a failure', async () => {
    const output = await run({
      'late.test.ts': `
        import { it } from 'vitest';
        it('passes', () => { void Promise.reject(new Error('nobody waits for this')); });`,
    });
    expect(output.endsWith('\n1 passed, 1 failed, 0 skipped\n')).toBe(true);
  });

  it('does not mention skipping if nothing was skipped', async () => {
    const output = await run({ 'good.test.ts': "import { it } from 'vitest'; it('passes', () => {});" });
    expect(output.endsWith('\n1 passed, 0 failed, 0 skipped\n')).toBe(true);
    expect(output).not.toContain('SKIPPED');
  });
});

/** Runs the given test files in a separate project. @returns everything that it printed */
async function run(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-reporter-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const reporter = JSON.stringify(join(ROOT, 'test/reporter.ts'));
  await writeFile(
    join(folder, 'vitest.config.ts'),
    `import { countReporter } from ${reporter};\nexport default { test: { reporters: ['default', countReporter()] } };`,
  );
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  // Both streams go into one, in the order of writing.
  const command = 'exec "$0" "$@" 2>&1';
  return spawnSync('sh', ['-c', command, process.execPath, vitest, 'run'], { cwd: folder, encoding: 'utf8' })
    .stdout;
}

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksIn, documentText, sectionOf } from '../../docs/documents.ts';
import { buildCli, type Cli, printedBy } from './cli-process.ts';
import { shellOf } from './cli-shell.ts';

const OWNER = 'grace@example.org';
const KEY = 'countersign.db.key';

/** The commands of the section, one text for each block. */
function blocks(): string[] {
  return blocksIn(sectionOf(documentText('docs/operating.md'), 'Back up, restore, upgrade'), 'sh');
}

let cli: Cli;
beforeAll(async () => {
  cli = await buildCli();
});
afterAll(() => cli?.remove());

describe('the section Back up, restore, upgrade of docs/operating.md', () => {
  it('brings back a lost database with its key, and replaces the key, word for word', async () => {
    const { run } = shellOf(cli);
    const [backup = '', restore = '', rotate = '', ...others] = blocks();
    expect(others).toEqual([]);
    printedBy(await cli.run(['owner', 'add', OWNER, '--json'], 'correct horse battery staple'));
    const add = ['key', 'add', '--owner', OWNER, '--name', 'agent', '--preset', 'full', '--json'];
    const { api_key } = printedBy(await cli.run(add));

    const told = await run(backup);
    expect(told).toContain(join(cli.data, KEY));

    rmSync(cli.data, { recursive: true });
    mkdirSync(cli.data);
    const lines = restore.trim().split('\n');
    expect(lines.pop()).toBe('countersign serve');
    await expect(run(lines.join('\n'))).rejects.toThrow('The secret key');
    expect(existsSync(join(cli.data, 'countersign.db'))).toBe(false);
    await run(`cp ~/countersign-key.copy ${join(cli.data, KEY)}`);
    await run(lines.join('\n'));
    expect(statSync(join(cli.data, 'countersign.db')).mode & 0o777).toBe(0o600);

    const before = readFileSync(join(cli.data, KEY), 'utf8');
    expect(await run(rotate)).toContain('nothing in the database needs the others');
    const after = readFileSync(join(cli.data, KEY), 'utf8');
    expect(after.endsWith(before)).toBe(true);
    writeFileSync(join(cli.data, KEY), after.slice(0, -before.length));

    const server = await cli.serve(['serve', '--json']);
    const me = await fetch(`${server.base_url}/v1/me`, { headers: { authorization: `Bearer ${api_key}` } });
    expect(me.status).toBe(200);
    await server.stop('SIGTERM');
  });
});

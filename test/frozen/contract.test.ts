import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { CATALOGUE } from '../../core/tools/catalogue.ts';
import { breaksOfTools } from './breaking.ts';

// Tool names and their input schemas are a frozen public contract (API.md, Versioning). A change that adds is taken
// up with `vitest run test/frozen --update`; one that takes away is refused, whatever the file is made to say: the file
// itself is only ever written by a run in which nothing broke.

const FILE = join(import.meta.dirname, 'tools.json');

const frozen = z.array(z.strictObject({ name: z.string(), inputSchema: z.record(z.string(), z.unknown()) }));

const now = CATALOGUE.map(({ name, inputSchema }) => ({ name, inputSchema }));

it('no tool and no argument of the contract has been taken away or narrowed', () => {
  expect(breaksOfTools(frozen.parse(JSON.parse(readFileSync(FILE, 'utf8'))), now)).toEqual([]);
});

it('the contract is written down as it is', async ({ skip }) => {
  const broken = breaksOfTools(frozen.parse(JSON.parse(readFileSync(FILE, 'utf8'))), now);
  skip(broken.length > 0, 'it is broken: see above');
  await expect(`${JSON.stringify(now, undefined, 2)}\n`).toMatchFileSnapshot(FILE);
});

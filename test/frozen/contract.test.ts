import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { CATALOGUE } from '../../core/tools/catalogue.ts';
import { breaksOfTools } from './breaking.ts';

// Tool names and their input schemas are a frozen public contract. `vitest run test/frozen --update` records an additive
// change. A breaking one is always refused: only a run without breaks writes the file.

const FILE = join(import.meta.dirname, 'tools.json');

const frozen = z.array(z.strictObject({ name: z.string(), inputSchema: z.record(z.string(), z.unknown()) }));

const now = CATALOGUE.map(({ name, inputSchema }) => ({ name, inputSchema }));

it('no tool and no argument of the contract has been removed or narrowed', () => {
  expect(breaksOfTools(frozen.parse(JSON.parse(readFileSync(FILE, 'utf8'))), now)).toEqual([]);
});

it('the recorded contract is current', async ({ skip }) => {
  const broken = breaksOfTools(frozen.parse(JSON.parse(readFileSync(FILE, 'utf8'))), now);
  skip(broken.length > 0, 'it is broken: see above');
  await expect(`${JSON.stringify(now, undefined, 2)}\n`).toMatchFileSnapshot(FILE);
});

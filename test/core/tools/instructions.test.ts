import { expect, it } from 'vitest';
import { CATALOGUE } from '../../../core/tools/catalogue.ts';
import { INSTRUCTIONS } from '../../../core/tools/instructions.ts';
import { openScene, resultOf } from '../scene.ts';

// What others wrote is data: instructions say so once, and each result that has such text. No tool repeats it.

const mentions = (text: string): number => text.match(/untrusted|third part/gi)?.length ?? 0;

it('instructions say once what untrusted_fields means', async () => {
  const key = await (await openScene()).addKey('full');
  const { instructions } = resultOf(await key.call('get_me'));
  for (const text of [INSTRUCTIONS, String(instructions)]) {
    expect(text.match(/untrusted_fields/g)).toHaveLength(1);
    expect(mentions(text)).toBe(2);
  }
});

it.each(CATALOGUE.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })))(
  '$name does not repeat it',
  ({ description, inputSchema }) => {
    expect(mentions(description + JSON.stringify(inputSchema))).toBe(0);
  },
);

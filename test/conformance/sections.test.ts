import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SECTIONS, section } from './sections.ts';

section('Versioning', () => {
  it('every section of the contract has a check', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
    const text = files.map((name) => readFileSync(`${import.meta.dirname}/${name}`, 'utf8')).join('\n');
    expect(SECTIONS.filter((name) => !text.includes(`ection('${name}'`))).toEqual([]);
  });
});

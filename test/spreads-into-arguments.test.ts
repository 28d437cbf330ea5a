import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { sourceFacts } from './source-facts.ts';
import { spreadsIntoArguments } from './spreads-into-arguments.ts';

const FILE = 'code.ts';
const GIVEN = `
declare const list: readonly number[];
declare const text: string;
declare const pair: readonly [number, number];
declare const maybe: readonly [number] | readonly [number, number];
declare const atLeastOne: readonly [number, ...number[]];
declare function take(...all: readonly unknown[]): void;
`;

/** The lines of the code in which a spread is found. */
function reported(code: string): string[] {
  const whole = GIVEN + code;
  const options = { target: ts.ScriptTarget.ES2023, strict: true, noEmit: true, types: [] };
  const host = ts.createCompilerHost(options);
  const fromDisk = host.getSourceFile.bind(host);
  host.getSourceFile = (name, languageVersion) =>
    name === FILE ? ts.createSourceFile(name, whole, languageVersion, true) : fromDisk(name, languageVersion);
  const program = ts.createProgram([FILE], options, host);
  const file = program.getSourceFile(FILE);
  if (file === undefined) throw new Error('the compiler did not read the code');
  const lines = whole.split('\n');
  return spreadsIntoArguments(program.getTypeChecker(), file).map(
    (spread) => lines[file.getLineAndCharacterOfPosition(spread.getStart()).line] ?? '',
  );
}

describe('a spread into arguments', () => {
  it('is refused if the code does not say how long it is', () => {
    const lines = [
      'take(...list);',
      'Math.max(0, ...list);',
      '[0].push(...list.map((one) => one + 1));',
      '[0].splice(0, 1, ...list);',
      'String.fromCharCode(...list);',
      'take(...text);',
      'take(...new Set(list));',
      'take(...atLeastOne);',
      'take(...(list.length > 0 ? list : pair));',
      'new Uint8Array(...([list] as const), ...list.slice(1));',
      'new Date(...list);',
    ];
    expect(reported(lines.join('\n'))).toEqual(lines);
  });

  it('is allowed if it does, and for what a caller wrote', () => {
    const lines = [
      'take(...pair);',
      'take(...maybe);',
      'new Date(...pair);',
      'take([...list], { ...pair });',
      'function passOn(...all: readonly unknown[]) { take(...all); return () => take(0, ...all); }',
      'const same = <Args extends readonly unknown[]>(...args: Args) => take(...args);',
    ];
    expect(reported(lines.join('\n'))).toEqual([]);
  });

  it('of a list that only has the name of one that a caller wrote is refused', () => {
    const line = 'function other(...all: readonly unknown[]) { { const all = list; take(...all); } }';
    expect(reported(line)).toEqual([line]);
  });

  it('stands nowhere in the published code', async () => {
    const { spreads } = await sourceFacts();
    expect(spreads).toEqual([]);
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import * as z from 'zod';
import { adapterWaits } from './adapters/waits.ts';
import { longLived } from './caches/long-lived.ts';
import { exportedFunctionsOf } from './exported-functions.ts';
import { onceInRun } from './once-in-run.ts';
import { spreadsIntoArguments } from './spreads-into-arguments.ts';
import { typescriptSources } from './typescript-sources.ts';

const names = z.array(z.string());
const sourceFactsFile = z.strictObject({
  /** What may live as long as the process and grow. */
  longLived: names,
  /** What adapters wait for. */
  adapterWaits: names,
  /** Exported functions with a parameter that is a text or a list of texts. */
  textFunctions: names,
  /** The same of bytes. */
  byteFunctions: names,
  /** Lists that are spread into arguments. */
  spreads: names,
});

/** What the compiler knows of the published code, sorted. Found once in a test run: its types take half a minute. */
export async function sourceFacts(): Promise<z.output<typeof sourceFactsFile>> {
  const folder = await onceInRun('source-facts', async (made) => {
    writeFileSync(join(made, 'facts.json'), JSON.stringify(found()));
  });
  return sourceFactsFile.parse(JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8')));
}

function found(): z.input<typeof sourceFactsFile> {
  const sources = typescriptSources();
  const { program, files, pathOf } = sources;
  return {
    longLived: [...longLived(sources)].toSorted(),
    adapterWaits: [...adapterWaits(sources)].toSorted(),
    textFunctions: exportedFunctionsOf(sources, ({ flags }) => (flags & ts.TypeFlags.String) !== 0),
    byteFunctions: exportedFunctionsOf(sources, (type, checker) =>
      /^(?:Uint8Array|Buffer)(?:<|$)/.test(checker.typeToString(type)),
    ),
    spreads: files
      .flatMap((file) =>
        spreadsIntoArguments(program.getTypeChecker(), file).map(
          (spread) => `${pathOf(file)} ${spread.parent.getText()}`,
        ),
      )
      .toSorted(),
  };
}

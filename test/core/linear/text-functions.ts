import ts from 'typescript';
import { exportedFunctionsOf } from '../../exported-functions.ts';

/** Every exported function with a parameter that is a text or a list of texts: `core/text/one-line.ts oneLine`. */
export function textFunctions(): string[] {
  return exportedFunctionsOf(({ flags }) => (flags & ts.TypeFlags.String) !== 0);
}

import ts from 'typescript';
import { typescriptSources } from '../../typescript-sources.ts';

/** Every exported function with a parameter that is a text or a list of texts: `core/text/one-line.ts oneLine`. */
export function textFunctions(): string[] {
  const { ownProgram, isSource, pathOf } = typescriptSources('core', 'adapters', 'hosts');
  const program = ownProgram();
  const checker = program.getTypeChecker();
  const found = program.getSourceFiles().flatMap((file) => {
    const module = isSource(file.fileName) ? checker.getSymbolAtLocation(file) : undefined;
    if (module === undefined) return [];
    return checker.getExportsOfModule(module).flatMap((exported) => {
      const declaration = exported.valueDeclaration;
      // A function that is only passed on belongs to its own file.
      if (declaration?.getSourceFile() !== file) return [];
      const calls = checker.getTypeOfSymbolAtLocation(exported, declaration).getCallSignatures();
      const isReader = calls.some(({ parameters }) =>
        parameters.some((one) => isText(checker, checker.getTypeOfSymbolAtLocation(one, declaration))),
      );
      return isReader ? [`${pathOf(file)} ${exported.name}`] : [];
    });
  });
  return found.toSorted();
}

function isText(checker: ts.TypeChecker, type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some((one) => isText(checker, one));
  if ((type.flags & ts.TypeFlags.String) !== 0) return true;
  if (!checker.isArrayType(type)) return false;
  const [element] = checker.getTypeArguments(type as ts.TypeReference);
  return element !== undefined && isText(checker, element);
}

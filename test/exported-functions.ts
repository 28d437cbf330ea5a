import type ts from 'typescript';
import type { Sources } from './typescript-sources.ts';

/** `core/text/one-line.ts oneLine`: the exported functions with a parameter of such a type, alone or in a list. */
export function exportedFunctionsOf(
  { program, files, pathOf }: Sources,
  isMeant: (type: ts.Type, checker: ts.TypeChecker) => boolean,
): string[] {
  const checker = program.getTypeChecker();
  const takes = (type: ts.Type): boolean => {
    if (type.isUnion()) return type.types.some(takes);
    if (isMeant(type, checker)) return true;
    return checker.isArrayType(type) && checker.getTypeArguments(type as ts.TypeReference).some(takes);
  };
  const found = files.flatMap((file) => {
    const module = checker.getSymbolAtLocation(file);
    if (module === undefined) return [];
    return checker.getExportsOfModule(module).flatMap((exported) => {
      const declaration = exported.valueDeclaration;
      // A function that is only passed on belongs to its own file.
      if (declaration?.getSourceFile() !== file) return [];
      const calls = checker.getTypeOfSymbolAtLocation(exported, declaration).getCallSignatures();
      const isFound = calls.some(({ parameters }) =>
        parameters.some((one) => takes(checker.getTypeOfSymbolAtLocation(one, declaration))),
      );
      return isFound ? [`${pathOf(file)} ${exported.name}`] : [];
    });
  });
  return found.toSorted();
}

/** The file of one of them. */
export function fileOf(name: string): string {
  return name.slice(0, name.indexOf(' '));
}

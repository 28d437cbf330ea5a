import { dirname } from 'node:path';
import ts from 'typescript';

/** The declarations of a package, read by the compiler. */
interface Declarations {
  readonly checker: ts.TypeChecker;
  readonly folder: string;
  /** The exports of each entry, in their order. */
  readonly exported: readonly (readonly ts.Symbol[])[];
}

/** @param entries  the declaration files of the package's exports */
export function readDeclarations(entries: readonly string[]): Declarations {
  const program = ts.createProgram(entries, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    skipLibCheck: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  return {
    checker,
    folder: dirname(entries[0] ?? '').replace(/\/dist\/.*/, '/dist/'),
    exported: entries.map((entry) => {
      const file = program.getSourceFile(entry);
      const module = file && checker.getSymbolAtLocation(file);
      if (module === undefined) throw new Error(`${entry} is not a module`);
      return checker.getExportsOfModule(module);
    }),
  };
}

/**
 * Finds the types that the declarations of a package name but that nobody can import: those that are declared in the
 * package and that none of its entries exports.
 * @returns a line for each, such as `Held (named by CallStorage)`
 */
export function unreachableTypes({ checker, folder, exported: exportedBy }: Declarations): string[] {
  function original(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  const exported = new Set(exportedBy.flat().map(original));
  const unreachable = new Set<string>();
  for (const symbol of exported) {
    for (const declaration of symbol.declarations ?? []) {
      if (declaration.getSourceFile().fileName.startsWith(folder)) visit(declaration, symbol);
    }
  }
  return [...unreachable].toSorted();

  function visit(node: ts.Node, from: ts.Symbol): void {
    const name = nameIn(node);
    const named = name && checker.getSymbolAtLocation(name);
    if (named !== undefined) check(original(named), from);
    ts.forEachChild(node, (child) => visit(child, from));
  }

  function check(symbol: ts.Symbol, from: ts.Symbol): void {
    if (exported.has(symbol) || symbol.flags & ts.SymbolFlags.TypeParameter) return;
    const declared = symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
    if (declared.startsWith(folder)) unreachable.add(`${symbol.name} (named by ${from.name})`);
  }
}

/** The name of the type that a node refers to. `typeof` a value is not one: the compiler shows what it stands for. */
function nameIn(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  return undefined;
}

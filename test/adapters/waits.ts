import ts from 'typescript';
import type { Sources } from '../typescript-sources.ts';

/**
 * Every place in the adapters that waits for something outside core, in no order:
 * `adapters/remote/connect.ts waitFor` if the adapter creates the promise or reads a stream, `imapflow` if a package
 * returns the promise, `node setImmediate` if a function of Node does.
 */
export function adapterWaits({ program, files, pathOf }: Sources): Set<string> {
  const checker = program.getTypeChecker();
  const found = new Set<string>();
  for (const file of files) {
    const path = pathOf(file);
    if (!path.startsWith('adapters/')) continue;
    const visit = (node: ts.Node): void => {
      const isOwn = ts.isNewExpression(node) && node.expression.getText() === 'Promise';
      const isStream = ts.isForOfStatement(node) && node.awaitModifier !== undefined;
      if (isOwn || isStream) found.add(`${path} ${functionAround(node)}`);
      const library = ts.isCallExpression(node) ? libraryOf(checker, node) : undefined;
      if (library !== undefined) found.add(library);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

/** The package whose promise the call returns. Undefined: it returns none, or one of Countersign's. */
function libraryOf(checker: ts.TypeChecker, call: ts.CallExpression): string | undefined {
  const signature = checker.getResolvedSignature(call);
  const declaredIn = signature?.declaration?.getSourceFile().fileName;
  if (signature === undefined || declaredIn === undefined) return undefined;
  if (checker.getReturnTypeOfSignature(signature).symbol?.name !== 'Promise') return undefined;
  const [, name] = /node_modules\/(?:@types\/)?((?:@[^/]+\/)?[^/]+)\//.exec(declaredIn) ?? [];
  if (name === undefined || name === 'typescript') return undefined;
  return name === 'node' || name === 'undici-types' ? `node ${lastName(call.expression)}` : name;
}

function lastName(callee: ts.Expression): string {
  return ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText();
}

/** The name of the outermost function of its file that contains the node. */
function functionAround(node: ts.Node): string {
  let name = '';
  for (let at: ts.Node | undefined = node.parent; at !== undefined; at = at.parent) {
    if ((ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at)) && at.name !== undefined)
      name = at.name.getText();
    else if (ts.isClassDeclaration(at) && at.name !== undefined) name = `${at.name.text}.${name}`;
  }
  return name;
}

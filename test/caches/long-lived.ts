import ts from 'typescript';
import type { Sources } from '../typescript-sources.ts';

const GROWING = new Set(['set', 'add', 'push', 'unshift', 'splice']);
const COLLECTIONS = new Set(['Map', 'Set', 'Array']);
const CACHES = new Set(['BoundedCache', 'AccountCache']);

/**
 * What may live as long as the process and grow: each map, set, array and record that is declared in a module, or in a
 * function that hands out functions, and that is added to from another function than the one that declares it; and each
 * cache. By file and names: `adapters/smtp/sender.ts smtpSender.idle`. A WeakMap keeps nothing alive, and is left out.
 */
export function longLived({ program, files, isOwn, pathOf }: Sources): Set<string> {
  const checker = program.getTypeChecker();
  const found = new Set<string>();
  const nameOf = (type: ts.Type) => type.symbol?.name ?? '';
  const isRecord = (type: ts.Type) => checker.getIndexTypeOfType(type, ts.IndexKind.String) !== undefined;

  /** A parameter that the called function can add to. */
  function canGrow(call: ts.CallExpression, place: number): boolean {
    const parameter = checker.getResolvedSignature(call)?.parameters[place];
    if (parameter?.valueDeclaration === undefined || !isOwn(parameter.valueDeclaration)) return false;
    return COLLECTIONS.has(nameOf(checker.getTypeOfSymbol(parameter)));
  }

  function added(node: ts.Node): readonly ts.Expression[] {
    if (ts.isCallExpression(node)) {
      const { expression, arguments: given } = node;
      const handedOn = given.filter((one, place) => ts.isIdentifier(one) && canGrow(node, place));
      const isGrowing = ts.isPropertyAccessExpression(expression) && GROWING.has(expression.name.text);
      return isGrowing ? [expression.expression, ...handedOn] : handedOn;
    }
    const isAssignment =
      ts.isBinaryExpression(node) &&
      node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
      node.operatorToken.kind <= ts.SyntaxKind.LastAssignment;
    return isAssignment && ts.isElementAccessExpression(node.left) ? [node.left.expression] : [];
  }

  function visit(node: ts.Node): void {
    for (const collection of added(node)) {
      const type = checker.getTypeAtLocation(collection);
      const declared = declarationOf(checker, collection);
      if (declared === undefined || !isOwn(declared)) continue;
      if (!COLLECTIONS.has(nameOf(type)) && !isRecord(type)) continue;
      const within = functionAround(declared);
      const isElsewhere = within === undefined || within !== functionAround(node);
      if (isElsewhere && outlivesItsCall(checker, within, isOwn)) found.add(title(declared, pathOf));
    }
    const isSet = ts.isVariableDeclaration(node) && node.initializer !== undefined;
    if (isSet && CACHES.has(nameOf(checker.getTypeAtLocation(node)))) found.add(title(node, pathOf));
    ts.forEachChild(node, visit);
  }

  for (const file of files) visit(file);
  return found;
}

type Named = ts.VariableDeclaration | ts.PropertyDeclaration | ts.BindingElement;

/** The variable, or the field of a class. Undefined: it belongs to somebody else. */
function declarationOf(checker: ts.TypeChecker, collection: ts.Expression): Named | undefined {
  const name = ts.isPropertyAccessExpression(collection) ? collection.name : collection;
  const declared = checker.getSymbolAtLocation(name)?.valueDeclaration;
  if (declared === undefined) return undefined;
  const isNamed =
    ts.isVariableDeclaration(declared) ||
    ts.isPropertyDeclaration(declared) ||
    (ts.isBindingElement(declared) && !ts.isParameter(declared.parent.parent));
  return isNamed ? declared : undefined;
}

function functionAround(node: ts.Node): ts.SignatureDeclaration | undefined {
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) if (ts.isFunctionLike(at)) return at;
  return undefined;
}

/** Whether what a function declares can live on: the module does, and so does what a returned function uses. */
function outlivesItsCall(
  checker: ts.TypeChecker,
  within: ts.SignatureDeclaration | undefined,
  isOwn: (node: ts.Node) => boolean,
): boolean {
  const signature = within && checker.getSignatureFromDeclaration(within);
  if (signature === undefined) return true;
  const returned = checker.getReturnTypeOfSignature(signature);
  const type = checker.getAwaitedType(returned) ?? returned;
  // It may have handed its functions to something that calls them.
  if ((type.flags & ts.TypeFlags.VoidLike) !== 0) return true;
  const hasOwnFunction = (one: ts.Type) =>
    one
      .getProperties()
      .some(
        (property) =>
          property.declarations?.some(isOwn) === true &&
          checker.getTypeOfSymbol(property).getCallSignatures().length > 0,
      );
  return (type.isUnion() ? type.types : [type]).some(
    (one) => one.getCallSignatures().length > 0 || hasOwnFunction(one),
  );
}

function title(declared: Named, pathOf: (file: ts.SourceFile) => string): string {
  const names = [declared.name.getText()];
  for (let at: ts.Node = declared.parent; !ts.isSourceFile(at); at = at.parent) {
    if (isNaming(at) && at.name !== undefined) names.unshift(at.name.getText());
  }
  return `${pathOf(declared.getSourceFile())} ${names.join('.')}`;
}

function isNaming(
  node: ts.Node,
): node is ts.FunctionDeclaration | ts.MethodDeclaration | ts.ClassDeclaration | ts.VariableDeclaration {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isVariableDeclaration(node)
  );
}

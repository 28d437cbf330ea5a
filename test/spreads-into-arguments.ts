import ts from 'typescript';

/**
 * The spreads into arguments whose length the code does not say: each argument takes room on the stack, and a list of some
 * 100,000 overflows it. Allowed are tuples, and rest parameters, which hold what another call wrote.
 */
export function spreadsIntoArguments(checker: ts.TypeChecker, file: ts.SourceFile): ts.SpreadElement[] {
  const found: ts.SpreadElement[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node))
      for (const one of node.arguments ?? [])
        if (ts.isSpreadElement(one) && !isRestParameter(checker, one.expression))
          if (!isFixed(checker, checker.getTypeAtLocation(one.expression))) found.push(one);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isFixed(checker: ts.TypeChecker, type: ts.Type): boolean {
  if (type.isUnion()) return type.types.every((one) => isFixed(checker, one));
  if (!checker.isTupleType(type)) return false;
  const { target } = type as ts.TupleTypeReference;
  return !target.hasRestElement;
}

function isRestParameter(checker: ts.TypeChecker, expression: ts.Expression): boolean {
  const declared = checker.getSymbolAtLocation(expression)?.valueDeclaration;
  return declared !== undefined && ts.isParameter(declared) && declared.dotDotDotToken !== undefined;
}

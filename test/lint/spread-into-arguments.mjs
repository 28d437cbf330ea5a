/**
 * Forbids a spread into arguments unless its length is written in the code: each argument takes room on the stack, and a list
 * of some 100,000 overflows it. Allowed are tuples, and rest parameters, which hold what another call wrote.
 *
 * @type {import('eslint').Rule.RuleModule}
 */
export const spreadIntoArguments = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      unbounded:
        'A long list overflows the stack here. Pass it whole: a loop, concat, reduce, or one array literal.',
    },
  },
  create(context) {
    const { sourceCode } = context;
    const { program, esTreeNodeToTSNodeMap } = sourceCode.parserServices;
    const checker = program.getTypeChecker();

    function isFixed(type) {
      if (type.isUnion()) return type.types.every(isFixed);
      return checker.isTupleType(type) && !type.target.hasRestElement;
    }

    function isRestParameter(node) {
      if (node.type !== 'Identifier') return false;
      for (let scope = sourceCode.getScope(node); scope !== null; scope = scope.upper) {
        const variable = scope.set.get(node.name);
        if (variable !== undefined)
          return variable.defs.some(
            ({ type, name }) => type === 'Parameter' && name.parent.type === 'RestElement',
          );
      }
      return false;
    }

    return {
      'CallExpression, NewExpression'(call) {
        for (const one of call.arguments) {
          if (one.type !== 'SpreadElement' || isRestParameter(one.argument)) continue;
          const type = checker.getTypeAtLocation(esTreeNodeToTSNodeMap.get(one.argument));
          if (!isFixed(type)) context.report({ node: one, messageId: 'unbounded' });
        }
      },
    };
  },
};

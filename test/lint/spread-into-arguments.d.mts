import type { Rule } from 'eslint';

export declare const spreadIntoArguments: Rule.RuleModule;

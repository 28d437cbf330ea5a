import tseslint from 'typescript-eslint';
import { spreadIntoArguments } from './test/lint/spread-into-arguments.mjs';

// Biome formats and lints; here is only what needs types to be seen.
export default tseslint.config(
  { ignores: ['dist/**', '.types/**', 'coverage/**', 'data/**', '**/*.{js,mjs,cjs}'] },
  {
    files: ['**/*.{ts,tsx}'],
    plugins: {
      '@typescript-eslint': tseslint.plugin,
      countersign: { rules: { 'spread-into-arguments': spreadIntoArguments } },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/no-unsafe-argument': 'error',
      '@typescript-eslint/no-unsafe-assignment': 'error',
      '@typescript-eslint/no-unsafe-call': 'error',
      '@typescript-eslint/no-unsafe-member-access': 'error',
      '@typescript-eslint/no-unsafe-return': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: ['core/**/*.ts', 'adapters/**/*.ts', 'hosts/**/*.{ts,tsx}'],
    rules: {
      'countersign/spread-into-arguments': 'error',
      'no-restricted-properties': [
        'error',
        ...['any', 'timeout'].map((property) => ({
          object: 'AbortSignal',
          property,
          message:
            'On Node 20 a combined signal can be garbage-collected and never fire. Use underLimit of adapters/remote/time-limit.ts, or clock.after in core.',
        })),
      ],
    },
  },
  {
    files: ['test/**/*.{ts,tsx}'],
    ignores: ['test/contracts/**', 'test/bench/**', 'test/until.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['waitFor', 'waitUntil'].map((property) => ({
          object: 'vi',
          property,
          message: 'Its usual second is too short for a busy machine. Use test/until.ts.',
        })),
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.name=/^(it|describe)$/] > ObjectExpression > Property[key.name='timeout'], " +
            "CallExpression[callee.callee.object.name=/^(it|describe)$/] > ObjectExpression > Property[key.name='timeout']",
          message: 'The usual limit only ends what hangs. A shorter one fails on a slow machine.',
        },
      ],
    },
  },
  {
    // Vitest's asymmetric matchers are `any`, and a test reads what it expects.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);

import { expect } from 'vitest';

/** Vitest's matchers for a part of an expectation, as `unknown`: their own type is `any`. */

export const anyText: unknown = expect.any(String);
export const anyNumber: unknown = expect.any(Number);

export function textLike(pattern: RegExp | string): unknown {
  return expect.stringMatching(pattern);
}

export function including(fields: object): unknown {
  return expect.objectContaining(fields);
}

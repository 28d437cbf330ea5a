import { ERRORS, type ErrorCode } from '../../core/contract/errors.ts';
import { ADMISSION_ERRORS, errorsOf } from '../../core/tools/call-errors.ts';
import { CATALOGUE } from '../../core/tools/catalogue.ts';
import { isWrite, type Tool } from '../../core/tools/define-tool.ts';

/** Which tools answer which errors. */

export const CODES = Object.keys(ERRORS) as ErrorCode[];

/** Kinds of calls, from the widest to the narrowest. */
const KINDS_OF_CALLS: readonly { readonly words: string; readonly has: (tool: Tool) => boolean }[] = [
  { words: 'every tool', has: () => true },
  { words: 'every tool with a permission group', has: ({ group }) => group !== null },
  { words: 'every write, and `cancel_approval`', has: ({ kind }) => kind !== 'read' },
  { words: 'every write', has: isWrite },
];

function answers(tool: Tool, code: ErrorCode): boolean {
  return errorsOf(tool).has(code) || ADMISSION_ERRORS.some((one) => one === code);
}

/** Who answers a code: every tool of a kind, and the tools beside that. */
export function answering(error: ErrorCode): {
  readonly kind: string | undefined;
  readonly tools: readonly Tool[];
} {
  const tools = CATALOGUE.filter((tool) => answers(tool, error));
  const kind = KINDS_OF_CALLS.find(({ has }) => CATALOGUE.filter(has).every((tool) => tools.includes(tool)));
  return { kind: kind?.words, tools: kind === undefined ? tools : tools.filter((tool) => !kind.has(tool)) };
}

/** The codes that every tool of a kind answers, by the words for the kind. */
export function sharedErrors(): readonly (readonly [words: string, codes: readonly ErrorCode[]])[] {
  return KINDS_OF_CALLS.map(({ words }) => [words, CODES.filter((code) => answering(code).kind === words)]);
}

/** The codes of one tool that not all of its kind have. */
export function ownErrors(tool: Tool): readonly ErrorCode[] {
  return CODES.filter((code) => answering(code).tools.includes(tool));
}

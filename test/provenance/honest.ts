import { CODES } from './honest/codes.ts';
import { MEETINGS } from './honest/meetings.ts';
import { NEAR_MISSES } from './honest/near-misses.ts';
import { NEW_RECIPIENTS } from './honest/new-recipients.ts';
import { ORDINARY_WORDS } from './honest/ordinary-words.ts';
import { PASSING_ON } from './honest/passing-on.ts';
import { REPLIES } from './honest/replies.ts';
import { TIDYING } from './honest/tidying.ts';
import type { Story } from './story.ts';

/** None of these may carry a red finding. */
export const HONEST: readonly Story[] = [
  ...REPLIES,
  ...PASSING_ON,
  ...NEW_RECIPIENTS,
  ...MEETINGS,
  ...TIDYING,
  ...CODES,
  ...NEAR_MISSES,
  ...ORDINARY_WORDS,
];

import { answerParent } from './answer-parent.ts';
import { watchDelay } from './loop-delay.ts';

/** Loaded into a process with --import: tells the parent how long its loop was blocked since it was last asked. */

const measured = watchDelay();
answerParent(
  async () => measured(),
  () => {},
);
// The parent's questions keep no process alive.
process.channel?.unref();

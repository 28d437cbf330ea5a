import { describe } from 'vitest';
import { goThroughTools } from './door.ts';
import { everyToolCheck } from './every-tool-check.ts';

// Two doors lead to the same behaviour. Every check that calls a tool runs through the other one.

goThroughTools();

describe('The tool protocol, the same checks', async () => {
  await everyToolCheck();
  await import('./response-size.test.ts');
});

import { describe } from 'vitest';
import { goThroughTools } from './door.ts';
import { everyToolCheck } from './every-tool-check.ts';

// API.md: two doors lead to the same behaviour. Every check that asks a tool something is made through the other one.

goThroughTools();

describe('The tool protocol, asked the same', async () => {
  await everyToolCheck();
  await import('./response-size.test.ts');
});

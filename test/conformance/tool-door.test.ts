import { describe } from 'vitest';
import { goThroughTools } from './door.ts';

// API.md: two doors lead to the same behaviour. Every check that asks a tool something is made through the other one.

goThroughTools();

describe('The tool protocol, asked the same', async () => {
  await import('./authentication.test.ts');
  await import('./endpoints.test.ts');
  await import('./errors.test.ts');
  await import('./events.test.ts');
  await import('./limits.test.ts');
  await import('./messages.test.ts');
  await import('./notes.test.ts');
  await import('./own-resources.test.ts');
  await import('./resources.test.ts');
  await import('./response-size.test.ts');
  await import('./states.test.ts');
  await import('./trackers.test.ts');
});

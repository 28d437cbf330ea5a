import { afterEach, vi } from 'vitest';

// What a test replaces is put back: other tests run in the same process.
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** The checks of the suite that ask tools something, but for those of an answer's size: as part of a file's `describe`. */
export async function everyToolCheck(): Promise<void> {
  await import('./authentication.test.ts');
  await import('./endpoints.test.ts');
  await import('./errors.test.ts');
  await import('./events.test.ts');
  await import('./limits.test.ts');
  await import('./messages.test.ts');
  await import('./notes.test.ts');
  await import('./own-resources.test.ts');
  await import('./resources.test.ts');
  await import('./states.test.ts');
  await import('./trackers.test.ts');
}

/**
 * Runs the checks of the suite that call tools, except those of an answer's size, inside the `describe` of a
 * file.
 */
export async function everyToolCheck(): Promise<void> {
  await import('./approval-summaries.test.ts');
  await import('./authentication.test.ts');
  await import('./endpoints.test.ts');
  await import('./errors.test.ts');
  await import('./events.test.ts');
  await import('./grants.test.ts');
  await import('./limits.test.ts');
  await import('./messages.test.ts');
  await import('./notes.test.ts');
  await import('./own-resources.test.ts');
  await import('./purpose.test.ts');
  await import('./resources.test.ts');
  await import('./states.test.ts');
  await import('./trackers.test.ts');
}

import { join, resolve } from 'node:path';
import { z } from 'zod';

export const IMPORT_RULES = join(resolve(import.meta.dirname, '..'), '.dependency-cruiser.cjs');

/** The rules of imports, with the modules that each of them guards. */
export async function importRules() {
  const patterns = z.union([z.string(), z.array(z.string())]).optional();
  const config = z.object({
    default: z.object({
      forbidden: z.array(z.object({ name: z.string(), to: z.object({ path: patterns }) })),
    }),
  });
  return config.parse(await import(IMPORT_RULES)).default.forbidden;
}

/** Finds the modules to which a rule forbids imports. */
export async function guardedBy(rule: string): Promise<RegExp> {
  const found = (await importRules()).find(({ name }) => name === rule);
  return new RegExp(z.string().parse(found?.to.path));
}

/** Tells whether a file runs only in a process that bounds its time and memory. */
export async function readingApart(): Promise<(file: string) => boolean> {
  const guarded = [await guardedBy('read-apart'), await guardedBy('documents-apart')];
  return (file) => guarded.some((one) => one.test(file));
}

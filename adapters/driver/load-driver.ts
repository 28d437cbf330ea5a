import { createRequire } from 'node:module';
import * as z from 'zod';

const load = createRequire(import.meta.url);
const loaded = new Map<string, unknown>();

/**
 * Loads the package of a database at the first use, not at import: it is an optional peer dependency, and a program
 * that keeps its data elsewhere does not install it.
 * @param user  what needs the package, for the message
 * @param majors  the major versions that work on this Node, the one to install last
 * @throws Error that names the package, the version and the command, if it is missing or another version is installed
 */
export function loadDriver(user: string, name: string, majors: readonly number[]): unknown {
  if (!loaded.has(name)) {
    checkVersion(user, name, majors);
    loaded.set(name, load(name));
  }
  return loaded.get(name);
}

/** The file of a driver that is installed. */
export function driverFile(name: string): string {
  return load.resolve(name);
}

/** Checks before the package loads: better-sqlite3 13 crashes Node 20. */
function checkVersion(user: string, name: string, majors: readonly number[]): void {
  const version = installedVersion(name);
  if (version !== undefined && majors.includes(Number.parseInt(version, 10))) return;
  const found = version === undefined ? 'it is not installed' : `version ${version} is installed`;
  throw new Error(
    `${user} needs the package ${name}, version ${majors.join(' or ')} on Node ${process.versions.node}, ` +
      `but ${found}. Run: npm install ${name}@${majors.at(-1)}`,
  );
}

const Manifest = z.object({ version: z.string() });

function installedVersion(name: string): string | undefined {
  try {
    return Manifest.parse(load(`${name}/package.json`)).version;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'MODULE_NOT_FOUND') return undefined;
    throw cause;
  }
}

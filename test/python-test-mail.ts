import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns the folder with the messages of Python's own tests (`msg_01.txt` and others), or undefined if it is
 * not installed.
 */
export async function pythonTestMail(): Promise<string | undefined> {
  const versions = '/root/.pyenv/versions';
  if (!existsSync(versions)) return undefined;
  for (const version of await readdir(versions)) {
    const lib = join(versions, version, 'lib');
    for (const python of await readdir(lib).catch(() => [])) {
      for (const folder of ['test/test_email/data', 'email/test/data']) {
        const data = join(lib, python, folder);
        if (existsSync(join(data, 'msg_01.txt'))) return data;
      }
    }
  }
  return undefined;
}

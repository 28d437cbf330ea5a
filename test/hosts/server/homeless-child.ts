// Reads each configuration of its argument as a user whom the system does not know, and prints what came of it.
import { readAddress } from '../../../adapters/postgres/address.ts';
import { readConfiguration } from '../../../hosts/server/configuration.ts';

const UNKNOWN = 54_321;

const given: Record<string, string>[] = JSON.parse(process.argv[2] ?? '[]');
// The driver is loaded while its folder can be read.
readAddress('postgres://user@host/name');
process.setgroups?.([]);
process.setgid?.(UNKNOWN);
process.setuid?.(UNKNOWN);
delete process.env.HOME;
const read = given.map((env) => {
  try {
    const { database, secretKeys, indexFile = 'none' } = readConfiguration(env, '/');
    return [database.name, secretKeys.kind === 'file' ? secretKeys.file : 'set', indexFile];
  } catch (error) {
    return error instanceof Error ? error.message : 'no error';
  }
});
process.stdout.write(JSON.stringify(read));

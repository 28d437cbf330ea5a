import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { newMailLines, soakNewMail } from './new-mail.ts';

/*
 * npm run soak -- new-mail [--minutes N] [--seed SEED] [--postgres]
 * run.mjs bundles it with its process.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    postgres: { type: 'boolean', default: false },
  },
});

const options = {
  actorFile: join(import.meta.dirname, 'new-mail-actor.mjs'),
  seed: z.coerce.number().int().parse(values.seed),
  until: Date.now() + z.coerce.number().positive().parse(values.minutes) * 60_000,
  database: values.postgres ? 'postgres' : 'sqlite',
  progress: (line: string) => console.error(line),
} as const;
// The processes of the mail servers do not keep this one alive while they end.
const alive = setInterval(() => undefined, 60_000);
const report = await soakNewMail(options);
clearInterval(alive);
console.log(newMailLines(options, report));
if (report.log !== '') console.log(`\nThe last lines of the service's log:\n${report.log}`);
process.exitCode = report.faults.length === 0 ? 0 : 1;

import { once } from 'node:events';
import { watchLoop } from '../../../hosts/server/loop-watch.ts';

// Reports that it is ready, is suspended and resumed by its parent, and blocks its loop when told to.

const BLOCK_CPU_MS = 600;

const warnings: unknown[] = [];
const watch = watchLoop({ warn: (message, fields) => warnings.push({ message, ...fields }) });

process.stdout.write('ready\n');
await once(process.stdin, 'data');
const suspended = [...warnings];
const ended = watch.began('archive_email');
const before = process.cpuUsage();
const used = () => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
while (used() < BLOCK_CPU_MS);
ended();
while (warnings.length === suspended.length) await new Promise((resolve) => setTimeout(resolve, 20));
process.stdout.write(JSON.stringify({ suspended, blocked: warnings.slice(suspended.length) }), () =>
  process.exit(),
);

import { startDovecot } from '../servers/dovecot.ts';
import { mailbox } from './mailbox.ts';
import { printTable } from './table.ts';

// The servers' processes do not keep this one alive, also not while it waits for their end.
const alive = setInterval(() => undefined, 60_000);
const dovecot = await startDovecot();
const began = performance.now();
const rows = await mailbox(dovecot);
console.log(performance.now() - began);
printTable(rows);
await dovecot.stop();
clearInterval(alive);

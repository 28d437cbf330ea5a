#!/usr/bin/env node
import { logProcessEvents } from './process-events.ts';
import { runCommand } from './run-command.ts';

const typed = process.argv.slice(2);
if (typed[0] === 'serve') logProcessEvents();
const { env, stdin, stdout, stderr } = process;
const code = await runCommand(typed, { env, folder: process.cwd(), stdin, stdout, stderr });
// Exit explicitly: a server that failed during its start may still be listening.
process.exit(code);

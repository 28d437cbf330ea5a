import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { keyHeaders, serve, watchedWords } from './child.mjs';

// Its command line: a process for each request.

/** Which revisions it speaks: `legacy` or `modern`. */
const [era] = process.argv.slice(2);
const PROGRAM = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';

serve(async ({ url, key, command }) => {
  // It must be willing to open a browser, but none is in its path.
  const env = { PATH: '', HOME: resolve('home'), MCP_AUTO_OPEN_ENABLED: 'true' };
  const header = key === undefined ? [] : ['--header', `Authorization: ${keyHeaders({ key }).Authorization}`];
  const server =
    command === undefined
      ? [url, '--transport', 'http', ...header]
      : [
          command.command,
          ...command.args,
          ...Object.entries(command.env).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
        ];

  async function run(method, args, signal) {
    const child = spawn(
      process.execPath,
      [PROGRAM, '--cli', ...server, '--protocol-era', era, '--method', method, ...args],
      { env },
    );
    const stop = () => child.kill('SIGTERM');
    signal?.addEventListener('abort', stop);
    const words = watchedWords(child.stderr);
    const written = await text(child.stdout);
    const answer = /\{.*\}/s.exec(written)?.[0];
    if (answer === undefined) throw new Error(`${written}\n${words()}`);
    return JSON.parse(answer);
  }

  const list = async () => (await run('tools/list', [])).tools.map(({ name }) => name);
  await list();
  return {
    list,
    call(name, args, { signal }) {
      const pairs = Object.entries(args).map(([field, value]) => `${field}=${JSON.stringify(value)}`);
      return run(
        'tools/call',
        ['--tool-name', name, ...pairs.flatMap((pair) => ['--tool-arg', pair])],
        signal,
      );
    },
    close() {},
  };
});

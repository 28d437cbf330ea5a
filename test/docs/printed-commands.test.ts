import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { buildCli, type Cli, printedBy } from '../hosts/server/cli-process.ts';
import { type CliShell, shellOf } from '../hosts/server/cli-shell.ts';
import { makeCertificate } from '../servers/certificate.ts';
import { blocksIn, documentText, sectionOf } from './documents.ts';

// The commands of the documents, run as they stand there, each with a name in place of a name and a key of its own.

const OWNER = 'you@example.org';

let cli: Cli;
let shell: CliShell;
let keyId: string;
beforeAll(async () => {
  cli = await buildCli();
  shell = shellOf(cli);
});
afterAll(() => cli?.remove());

/** The block of a section that contains this. */
function block(page: string, section: string, part: string): string {
  const found = blocksIn(sectionOf(documentText(page), section), 'sh').filter((text) => text.includes(part));
  expect(found).toHaveLength(1);
  return found[0] ?? '';
}

/** Replaces what a reader replaces. */
function withOwn(text: string, from: string, to: string): string {
  expect(text).toContain(from);
  return text.replaceAll(from, to);
}

/** Serves as a page says. @returns the greeting */
async function greetingOf(commands: string, env: Record<string, string> = {}): Promise<string> {
  const server = await shell.serve(commands, { env });
  await server.stop();
  return server.greeting;
}

describe('docs/self-hosting.md', () => {
  it('creates an owner and a key on the command line', async () => {
    const [owner = '', account = '', key = '', ...others] = block(
      'docs/self-hosting.md',
      'Serve your mailbox',
      'countersign owner add',
    )
      .trim()
      .split('\n');
    expect(others).toEqual([]);
    await shell.run(owner, { input: 'correct horse battery staple' });
    // No server is found for example.org. An account is added on servers in test/hosts/server/account.test.ts.
    expect(account).toMatch(/^countersign account add /);
    expect(await shell.run(key)).toContain('svc_pat_');
    const { keys = [] } = printedBy(await cli.run(['key', 'list', '--owner', OWNER, '--json']));
    keyId = keys[0]?.key_id ?? '';
    expect(keyId).not.toBe('');
  });

  it('serves with a certificate', async () => {
    const made = join(cli.folder, 'made');
    mkdirSync(made);
    const { certFile, keyFile } = await makeCertificate(made);
    copyFileSync(certFile, join(cli.folder, 'fullchain.pem'));
    copyFileSync(keyFile, join(cli.folder, 'privkey.pem'));
    const commands = block('docs/self-hosting.md', 'Reach it from a phone', 'COUNTERSIGN_TLS_CERT');
    expect(await greetingOf(commands)).toContain('https://mail.example.org:8788');
  });
});

describe('docs/proxies.md', () => {
  it('serves behind a proxy', async () => {
    const commands = block('docs/proxies.md', 'Behind a proxy', 'COUNTERSIGN_TRUSTED_PROXIES');
    expect(await greetingOf(commands)).toContain('https://mail.example.org/assistant');
  });
});

describe('docs/webhooks.md', () => {
  const page = 'docs/webhooks.md';
  const first = blocksIn(documentText(page), 'sh')[0];

  it('adds, lists and removes an endpoint', async () => {
    const shown = await shell.run(withOwn(first, 'KEY_ID', keyId));
    expect(shown).toContain(keyId);
    expect(shown).toContain('whsec_');
    expect(shown).toContain('Endpoint wh_1 is removed.');
  });

  it('creates a certificate, adds an endpoint of this machine, and serves so that it is trusted', async () => {
    const [, receive = '', serve = '', ...others] = blocksIn(documentText(page), 'sh');
    expect(others).toEqual([]);
    // test/e2e/examples.test.ts runs the receiver itself.
    const [commands = '', receiver = ''] = withOwn(receive, 'KEY_ID', keyId).split('TLS_CERT=');
    expect(receiver).toMatch(/^tls\.crt TLS_KEY=tls\.key .*node examples\/webhook-receiver\.mjs\n$/);
    expect(await shell.run(commands)).toContain('whsec_');
    await shell.run('openssl x509 -in tls.crt -noout -checkhost localhost && test -s tls.key');
    expect(await greetingOf(serve)).toContain('API');
  });
});

describe('docs/assistants.md', () => {
  const page = 'docs/assistants.md';
  const config = z.strictObject({
    mcpServers: z.strictObject({
      countersign: z.union([
        z.strictObject({ type: z.literal('http'), url: z.url(), headers: z.record(z.string(), z.string()) }),
        z.strictObject({
          command: z.string(),
          args: z.array(z.string()),
          env: z.record(z.string(), z.string()),
        }),
      ]),
    }),
  });

  it('has two configurations with which a client lists the tools', async () => {
    const server = await cli.serve(['serve', '--demo', '--json']);
    onTestFinished(async () => void (await server.stop('SIGTERM')));
    for (const section of ['With a key', 'With a command']) {
      const [text] = blocksIn(sectionOf(documentText(page), section), 'json');
      const own = withOwn(
        withOwn(text, 'svc_pat_…', server.api_key ?? ''),
        'http://127.0.0.1:8787',
        server.base_url,
      );
      const { countersign } = config.parse(JSON.parse(own)).mcpServers;
      const transport =
        'url' in countersign
          ? new StreamableHTTPClientTransport(new URL(countersign.url), {
              requestInit: { headers: countersign.headers },
            })
          : new StdioClientTransport({
              ...countersign,
              env: { ...countersign.env, PATH: `${join(cli.folder, 'bin')}:${process.env.PATH ?? ''}` },
            });
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(transport);
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('send_reply');
      await client.close();
    }
  });

  it('serves for assistants on other machines', async () => {
    const commands = block(page, 'With a sign-in', 'COUNTERSIGN_MCP_URL');
    expect(await greetingOf(commands)).toContain('https://mcp.example.org/mcp');
  });
});

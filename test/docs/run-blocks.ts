/** What runs the code of the documents. A new block needs a line here: the test that runs it, or why none can. */

/** A test that names the page and runs the block as it stands, or the reason why it is not run. */
type Runs = { readonly test: string } | { readonly reason: string };

const WALK = { test: 'test/package/readme-app.test.ts' };
const COMMANDS = { test: 'test/docs/printed-commands.test.ts' };
const BACKUP = { test: 'test/hosts/server/backup-walk.test.ts' };
const CONTRACTS = { test: 'test/e2e/contract-suites.test.ts' };
const PROXIES = { test: 'test/e2e/proxies.test.ts' };
const INSTALLED = { test: 'test/package/installed-package.test.ts' };
const GENERATED = { test: 'test/package/generated-clients.test.ts' };
const SCRIPTS = { test: 'test/docs/run-blocks.test.ts' };

/** By page and the beginning of the block. */
export const BLOCKS: Readonly<Record<string, Readonly<Record<string, Runs>>>> = {
  'README.md': {
    'npm start ': {
      reason: 'builds the package, and serves until it is stopped; test/e2e/demo.test.ts has what it serves',
    },
    'KEY=svc_pat_…': WALK,
    'npm test ': { reason: 'it is this run' },
  },
  'CONTRIBUTING.md': { 'npm run quick': SCRIPTS },
  'docs/self-hosting.md': {
    'npm ci && npm run build': WALK,
    'countersign owner add': COMMANDS,
    'countersign account add --owner': {
      reason: 'there is no imap.example.org; test/hosts/server/account.test.ts adds accounts on real servers',
    },
    'countersign account add …': { reason: 'a part of a command; its options are checked' },
    '{': {
      reason:
        'ids of clients at Google and Microsoft; test/e2e/sign-in-at-provider.test.ts has a provider of its own',
    },
    'COUNTERSIGN_HOST=0.0.0.0': COMMANDS,
  },
  'docs/proxies.md': {
    'COUNTERSIGN_BASE_URL=': COMMANDS,
    'proxy_http_version 1.1;': PROXIES,
    ' option forwardfor': PROXIES,
    'ProxyPreserveHost On': PROXIES,
  },
  'docs/operating.md': {
    'NODE_OPTIONS=': { test: 'test/hosts/server/small-memory.test.ts' },
    'countersign backup': BACKUP,
    'countersign restore': BACKUP,
    'KEY=~/.local/share': BACKUP,
  },
  'docs/assistants.md': {
    '{ "mcpServers": { "countersign": { "type": "http"': COMMANDS,
    '{ "mcpServers": { "countersign": { "command": "countersign"': COMMANDS,
    'COUNTERSIGN_MCP_URL=': COMMANDS,
  },
  'docs/agents.md': {
    'curl -s -o openapi.json': GENERATED,
    '// orval.config.mjs': GENERATED,
    'import { auth, Client': {
      reason:
        'its provider opens a browser; test/e2e/one-host.test.ts makes the same calls with one that presses',
    },
  },
  'docs/embedding.md': {
    'npm install countersign better-sqlite3': {
      reason: 'the package is not published; test/package/readme-app.test.ts installs its tarball',
    },
    'import { createService }': WALK,
    'await service.accounts.connect': { reason: 'a part of a program, with values of the app' },
    'const agent = service.as(': {
      reason: 'a part of a program; examples/agent.mjs runs in test/e2e/examples.test.ts',
    },
    'import { aiSdkTools': { reason: 'a part of a program; test/hosts/ai has both libraries' },
    'await service.owners.create(': { reason: 'a part of a program, with values of the app' },
    "const { createService } = require('countersign')": INSTALLED,
    'export async function start()': INSTALLED,
  },
  'docs/webhooks.md': {
    'countersign key list': COMMANDS,
    'import { verifyWebhook }': {
      reason: 'a part of a program; examples/webhook-receiver.mjs runs in test/e2e/examples.test.ts',
    },
    'import hashlib': { test: 'test/hosts/webhooks/other-receivers.test.ts' },
    'func isGenuine': { reason: 'needs Go, which the tests do not install' },
    'openssl req': COMMANDS,
    'export NODE_EXTRA_CA_CERTS': COMMANDS,
  },
  'docs/adapters.md': {
    'import { mkdtemp, rm }': CONTRACTS,
    'npm install countersign vitest': {
      reason: 'the package is not published; test/e2e/contract-suites.test.ts runs vitest on its tarball',
    },
    'mailContract(': { reason: 'a part of a program, with an adapter of the reader' },
  },
};

import { defineConfig } from 'tsup';

/** What package.json exports, by the path it has below dist. */
const publicEntries = [
  'hosts/embedded/countersign',
  'core/adapter',
  'adapters/sqlite/storage',
  'adapters/postgres/storage',
  'adapters/imap/mail',
  'adapters/caldav/calendar',
  'adapters/sandbox/sandbox',
  'adapters/extract/attachment-text',
  'adapters/extract/worker',
  'adapters/reader/reader',
  'adapters/reader/worker',
  'hosts/node/countersign',
  'hosts/fetch/countersign',
  'hosts/ai/tools',
  'hosts/server/imap-connect',
  'adapters/webhooks/https-sender',
  'adapters/notices/owner-notices',
  'adapters/documents/https-documents',
  'hosts/webhooks/verify-webhook',
  'test/contracts/testing',
];

const sources = (paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, `${path}.ts`]));

export default defineConfig({
  entry: sources([...publicEntries, 'hosts/server/cli']),
  dts: { entry: sources(publicEntries) },
  format: 'esm',
  target: 'node20',
  platform: 'node',
  // Shared chunks keep one ServiceError for all entries, so that `instanceof` holds between them.
  splitting: true,
  sourcemap: true,
  clean: true,
});

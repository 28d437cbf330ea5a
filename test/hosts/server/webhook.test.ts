import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCli, type Cli, printedBy } from './cli-process.ts';

const OWNER = 'grace@example.org';
const OTHER = 'ada@example.org';
const URL = 'https://hooks.example.org/countersign';

let cli: Cli;
let keyId = '';
beforeAll(async () => {
  cli = await buildCli();
  for (const owner of [OWNER, OTHER]) await cli.run(['owner', 'add', owner], 'correct horse battery staple');
  const add = ['key', 'add', '--owner', OWNER, '--name', 'agent', '--preset', 'full', '--json'];
  keyId = printedBy(await cli.run(add)).key_id ?? '';
});
afterAll(() => cli.remove());

describe('the webhook commands', () => {
  it('add, list and remove an endpoint with --json, and show its secret once', async () => {
    const added = printedBy(await cli.run(['webhook', 'add', '--key', keyId, '--url', URL, '--json']));
    expect(added).toEqual({ endpoint_id: 'wh_1', secret: expect.stringMatching(/^whsec_[\w-]{43}$/) });

    const list = ['webhook', 'list', '--owner', OWNER, '--json'];
    const listed = await cli.run(list);
    expect(printedBy(listed)).toEqual({
      endpoints: [
        {
          endpoint_id: 'wh_1',
          key_id: keyId,
          url: URL,
          types: ['message.received', 'approval.decided'],
          created_at: expect.stringMatching(/^\d{4}-.*Z$/),
          failing_since: null,
          disabled: null,
        },
      ],
    });
    expect(listed.stdout).not.toContain(added.secret);

    const remove = ['webhook', 'remove', 'wh_1', '--owner', OWNER, '--json'];
    expect(printedBy(await cli.run(remove))).toEqual({ endpoint_id: 'wh_1' });
    expect(printedBy(await cli.run(list))).toEqual({ endpoints: [] });
  });

  it('print readable text without --json', async () => {
    const none = await cli.run(['webhook', 'list', '--owner', OWNER]);
    expect(none).toEqual({ code: 0, stdout: `${OWNER} has no webhook endpoints.\n`, stderr: '' });

    const added = await cli.run(['webhook', 'add', '--key', keyId, '--url', URL]);
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toMatch(
      /^Endpoint wh_2 is added\. Its secret is shown only once:\n\n {2}whsec_[\w-]{43}\n\nRequests are signed with it/,
    );

    const listed = await cli.run(['webhook', 'list', '--owner', OWNER]);
    expect(listed).toEqual({ code: 0, stdout: `wh_2  ${keyId}  on  ${URL}\n`, stderr: '' });

    const removed = await cli.run(['webhook', 'remove', 'wh_2', '--owner', OWNER]);
    expect(removed).toEqual({ code: 0, stdout: 'Endpoint wh_2 is removed.\n', stderr: '' });
  });

  it.each([
    [['webhook', 'add', '--url', URL], '--key is missing'],
    [['webhook', 'add', '--key', 'key_1'], '--url is missing'],
    [['webhook', 'add', URL, '--key', 'key_1', '--url', URL], 'too many arguments'],
    [['webhook', 'add', '--key', 'key_1', '--url', URL, '--owner', OWNER], '--owner'],
    [['webhook', 'list'], '--owner is missing'],
    [['webhook', 'list', 'wh_1', '--owner', OWNER], 'too many arguments'],
    [['webhook', 'remove', '--owner', OWNER], 'ENDPOINT_ID is missing'],
    [['webhook', 'remove', 'wh_1', 'wh_2', '--owner', OWNER], 'too many arguments after ENDPOINT_ID'],
    [['webhook', 'remove', 'wh_1'], '--owner is missing'],
    [['webhook'], 'Unknown command'],
  ])('end with 2 for %j', async (args, words) => {
    const { code, stdout, stderr } = await cli.run([...args, '--json']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
  });

  it('show their usage with --help', async () => {
    const { code, stdout } = await cli.run(['webhook', 'add', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage:\n  countersign webhook add --key KEY_ID --url URL [--json]');
  });

  it.each<[string, () => string[], string]>([
    ['an unknown key', () => ['add', '--key', 'key_none', '--url', URL], 'There is no key key_none.'],
    [
      'a plain http URL',
      () => ['add', '--key', keyId, '--url', 'http://hooks.example.org/'],
      'url: must be an address that begins with https://',
    ],
    [
      'a URL with a password',
      () => ['add', '--key', keyId, '--url', 'https://u:p@hooks.example.org/'],
      'url: ',
    ],
    ['text that is not a URL', () => ['add', '--key', keyId, '--url', 'hooks.example.org'], 'url: '],
    [
      'an unknown endpoint',
      () => ['remove', 'wh_9', '--owner', OWNER],
      `${OWNER} has no webhook endpoint wh_9.`,
    ],
    [
      'an unknown owner',
      () => ['list', '--owner', 'nobody@example.org'],
      'countersign owner add nobody@example.org',
    ],
  ])('fail with one line for %s', async (_what, args, words) => {
    const { code, stdout, stderr } = await cli.run(['webhook', ...args(), '--json']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(words);
  });

  it('store the secret only encrypted', async () => {
    const { secret = '' } = printedBy(
      await cli.run(['webhook', 'add', '--key', keyId, '--url', URL, '--json']),
    );
    const data = cli.data;
    const stored = Buffer.concat(readdirSync(data).map((file) => readFileSync(join(data, file))));
    expect(stored.includes(URL)).toBe(true);
    expect(stored.includes(secret)).toBe(false);
    expect(stored.includes(secret.replace('whsec_', ''))).toBe(false);
  });

  it('neither show nor remove the endpoint of another owner', async () => {
    const { endpoint_id: id = '' } = printedBy(
      await cli.run(['webhook', 'add', '--key', keyId, '--url', URL, '--json']),
    );
    expect(printedBy(await cli.run(['webhook', 'list', '--owner', OTHER, '--json']))).toEqual({
      endpoints: [],
    });
    expect(await cli.run(['webhook', 'remove', id, '--owner', OTHER])).toMatchObject({ code: 1, stdout: '' });
    const { endpoints } = printedBy(await cli.run(['webhook', 'list', '--owner', OWNER, '--json']));
    expect(endpoints?.map(({ endpoint_id: one }) => one)).toContain(id);
  });

  it('cannot add an endpoint to a revoked key, nor more than the plan allows', async () => {
    const limits = { COUNTERSIGN_PLAN: 'free' };
    const free = 'free@example.org';
    await cli.run(['owner', 'add', free], 'correct horse battery staple', limits);
    const newKey = ['key', 'add', '--owner', free, '--name', 'agent', '--preset', 'read', '--json'];
    const { key_id: id = '' } = printedBy(await cli.run(newKey, '', limits));
    const add = ['webhook', 'add', '--key', id, '--url', URL];
    expect(await cli.run(add)).toMatchObject({ code: 0 });
    expect(await cli.run(add)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('the plan allows 1'),
    });
    await cli.run(['key', 'revoke', id, '--owner', free]);
    expect(await cli.run(add)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`Key ${id} is revoked.`),
    });
  });
});

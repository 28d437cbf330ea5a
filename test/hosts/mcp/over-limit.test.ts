import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { until } from '../../until.ts';
import { ownRestServer, type RestServer } from '../rest/rest-server.ts';

/** A server whose folders are listed when the test says so. A call waits for a slot for a moment, or as long as `waits` says. */
async function openHeld({ waits = 'briefly' }: { waits?: 'briefly' | 'until there is one' } = {}) {
  let isHeld = false;
  let inside = 0;
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  const server = await ownRestServer({
    given: {
      clock: {
        ...systemClock,
        after: (ms, task) => systemClock.after(ms !== 5000 ? ms : waits === 'briefly' ? 50 : 3_600_000, task),
      },
    },
    mailAs: (mail) => ({
      ...mail,
      async folders(call, options) {
        inside += 1;
        if (isHeld) await isOpen;
        return mail.folders(call, options);
      },
    }),
  });
  isHeld = true;
  inside = 0;
  onTestFinished(() => open());
  return { server, open, inside: () => inside };
}

let lastId = 0;

async function send(
  { port, apiKey }: Pick<RestServer, 'port' | 'apiKey'>,
  method: string,
  params: object = {},
  given: { id?: number | undefined; body?: string } = {},
) {
  lastId += 1;
  const { id = lastId, body } = given;
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body:
      body ??
      JSON.stringify({
        jsonrpc: '2.0',
        ...('id' in given && id === undefined ? {} : { id }),
        method,
        params,
      }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: text === '' ? undefined : (JSON.parse(text) as unknown),
  };
}

const tool = (server: RestServer, name: string) => send(server, 'tools/call', { name, arguments: {} });

it('ten calls at once of a key that may have two in flight are all answered', async () => {
  const { server, open, inside } = await openHeld({ waits: 'until there is one' });
  const answers = Array.from({ length: 10 }, () => tool(server, 'list_folders'));
  await until(() => inside() === 2);
  open();
  for (const { status, json } of await Promise.all(answers))
    expect({ status, json }).toMatchObject({ status: 200, json: { result: { isError: false } } });
});

it('so are twelve of an official client, which is told of those that were refused', async () => {
  const { server, open, inside } = await openHeld({ waits: 'until there is one' });
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${server.port}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${server.apiKey}` } },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const answers = Array.from({ length: 12 }, () => client.callTool({ name: 'list_folders', arguments: {} }));
  const refused: unknown[] = [];
  for (const answer of answers) answer.then((one) => refused.push(one)).catch(() => undefined);
  // Two are in flight and eight wait.
  await until(() => inside() === 2 && refused.length === 2);
  const busy = { status: 'error', code: 'busy', details: { retry_after_s: 1 } };
  for (const one of refused) expect(one).toMatchObject({ isError: true, structuredContent: busy });
  open();
  const done = await Promise.all(answers);
  expect(done.filter(({ isError }) => isError === false)).toHaveLength(10);
});

it('a call of a key that stays busy is answered with a result, and anything else with 429', async () => {
  const { server, open, inside } = await openHeld();
  const held = [tool(server, 'list_folders'), tool(server, 'list_folders')];
  await until(() => inside() === 2);
  const { status, headers, json } = await tool(server, 'get_me');
  const envelope = { status: 'error', code: 'busy', details: { retry_after_s: 1 } };
  expect({ status, json }).toMatchObject({
    status: 200,
    json: { result: { isError: true, structuredContent: envelope, content: [{ type: 'text' }] } },
  });
  expect(headers.get('ratelimit-limit')).toBe('100000');
  for (const answer of [
    await send(server, 'tools/list'),
    await send(server, '', {}, { body: 'no JSON' }),
    await send(server, '', {}, { body: JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'tools/list' }]) }),
  ]) {
    expect(answer).toMatchObject({ status: 429, json: { error: 'busy', code: 'busy' } });
    expect(answer.headers.get('retry-after')).toBe('1');
  }
  open();
  for (const { json: answer } of await Promise.all(held))
    expect(answer).toMatchObject({ result: { isError: false } });
});

it('a cancellation does not wait for the slot of what it cancels', async () => {
  const { server, open, inside } = await openHeld();
  const held = [tool(server, 'list_folders'), tool(server, 'list_folders')];
  await until(() => inside() === 2);
  const { status } = await send(server, 'notifications/cancelled', { requestId: 1 }, { id: undefined });
  expect(status).toBe(202);
  open();
  await Promise.all(held);
});

it('a call of a key that has called too often is answered with a result, and anything else with 429', async () => {
  const server = await ownRestServer({ limits: { callsPerMinute: 1 } });
  expect((await tool(server, 'get_me')).json).toMatchObject({ result: { isError: false } });
  const { status, headers, json } = await tool(server, 'get_me');
  expect({ status, json }).toMatchObject({
    status: 200,
    json: { result: { isError: true, structuredContent: { status: 'error', code: 'rate_limited' } } },
  });
  expect(headers.get('ratelimit-remaining')).toBe('0');
  const listed = await send(server, 'tools/list');
  expect(listed).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
  expect(listed.headers.get('retry-after')).toBe(listed.headers.get('ratelimit-reset'));
  const large = await send(server, '', {}, { body: `"${'x'.repeat(300_000)}"` });
  expect(large).toMatchObject({ status: 413, json: { code: 'payload_too_large' } });
});

it('a day that is used up stays a status of 429', async () => {
  const server = await ownRestServer({ limits: { callsPerDay: 1 } });
  await tool(server, 'get_me');
  expect(await tool(server, 'get_me')).toMatchObject({ status: 429, json: { code: 'daily_limit_reached' } });
});

import { expect, it } from 'vitest';
import { ownRestServer } from '../rest/rest-server.ts';

async function ask(messages?: readonly unknown[]): Promise<{ status: number; text: string }> {
  const { port, apiKey } = await ownRestServer();
  const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: messages === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-03-26',
    },
    ...(messages === undefined ? {} : { body: JSON.stringify(messages) }),
  });
  return { status: answer.status, text: await answer.text() };
}

function calls(count: number): unknown[] {
  const params = { name: 'list_accounts', arguments: {} };
  return Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }));
}

it('the tool protocol opens no stream that would be held', async () => {
  expect((await ask()).status).toBe(405);
});

it('a batch of the tool protocol runs no more calls at once than its key may have in flight', async () => {
  const { status, text } = await ask(calls(20));
  expect(status).toBe(200);
  // Each message is answered, most of them with a refusal, and then the response ends.
  expect(text.match(/"jsonrpc"/g)).toHaveLength(20);
  expect(text.match(/"code":"busy"/g)).not.toBeNull();
});

it('a batch of the tool protocol that is too long is refused as a whole', async () => {
  expect((await ask(calls(101))).status).toBe(400);
});

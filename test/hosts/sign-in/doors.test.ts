import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { GROUPS, type Group, type Mode, modesOf } from '../../../core/gate/permissions.ts';
import { openSignInHost, type SignInHost, signedIn } from './open-sign-in-host.ts';

/** A call of each group that changes nothing if it runs, or waits. */
const CALLS: Readonly<Record<Group, readonly [tool: string, args: Readonly<Record<string, unknown>>]>> = {
  'mail:read': ['list_folders', {}],
  'mail:send': ['send_email', { to: ['stranger@example.net'], subject: 's', body: 'b' }],
  'mail:reply': ['send_reply', { id: 'none', body: 'b' }],
  'mail:manage': ['archive_email', { id: 'none' }],
  'mail:organize': ['mark_read', { id: 'none' }],
  'calendar:read': ['list_events', {}],
  'calendar:write': ['cancel_event', { event_id: 999_999 }],
  'trackers:read': ['list_trackers', {}],
  'trackers:write': ['set_tracker_status', { tracker_id: 9, status: 'open' }],
  'trackers:remove': ['resolve_tracker', { tracker_id: 9 }],
};

const outcome = z.object({
  status: z.string(),
  code: z.string().optional(),
  details: z.unknown().optional(),
});
type Verdict = z.infer<typeof outcome>;

let host: SignInHost;
beforeAll(async () => {
  host = await openSignInHost();
});
afterAll(() => host.close());

async function overRest(key: string, tool: string, args: object): Promise<Verdict> {
  const answer = await fetch(`${host.apiUrl}/v1/tools/${tool}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ arguments: args }),
  });
  return outcome.parse(await answer.json());
}

async function overMcp(url: string, token: string) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  return async (name: string, args: Readonly<Record<string, unknown>>): Promise<Verdict> =>
    outcome.parse((await client.callTool({ name, arguments: args })).structuredContent);
}

const CASES = GROUPS.flatMap((group) => modesOf(group).map((mode): [Group, Mode] => [group, mode]));

it.each(CASES)(
  '%s %s has the same verdict over REST, MCP with a key and MCP with a sign-in',
  async (group, mode) => {
    const modes = { [group]: mode };
    const { apiKey } = await host.addKey('full', modes);
    const { access_token } = await signedIn(host, { preset: 'full', modes });
    const [tool, args] = CALLS[group];
    const verdict = await overRest(apiKey, tool, args);
    expect(verdict.code === 'not_permitted').toBe(mode === 'off');
    expect(await (await overMcp(host.apiUrl, (await host.addKey('full', modes)).apiKey))(tool, args)).toEqual(
      verdict,
    );
    expect(await (await overMcp(host.mcpUrl, access_token))(tool, args)).toEqual(verdict);
  },
);

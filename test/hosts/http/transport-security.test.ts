import { describe, expect, it } from 'vitest';
import { openDashboard } from '../dashboard/open-dashboard.ts';
import { sendBytes } from '../rest/raw-http.ts';
import { ownRestServer } from '../rest/rest-server.ts';

const A_YEAR = 'max-age=31536000';

describe.each([
  ['https', A_YEAR],
  ['http', undefined],
])('on an %s address', (scheme, expected) => {
  const baseUrl = `${scheme}://api.example.org`;
  const dashboardUrl = `${scheme}://approve.example.org`;

  it.each([
    ['a call', 'GET /v1/me HTTP/1.1', 200],
    ['a health check', 'GET /healthz HTTP/1.1', 200],
    ['the description', 'GET /v1/openapi.json HTTP/1.1', 200],
    ['a path that does not exist', 'GET /nothing HTTP/1.1', 404],
    ['the tool protocol', 'GET /mcp HTTP/1.1', 405],
    ['what cannot be read', 'GET / HTTP/9.9', 400],
  ])(
    `${expected === undefined ? 'no' : 'every'} answer of the API demands TLS: %s`,
    async (_what, line, status) => {
      const { port, apiKey } = await ownRestServer({ baseUrl });
      const head = `${line}\r\nHost: api.example.org\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
      const answer = await sendBytes(port, head);
      expect(answer.status).toBe(status);
      expect(answer.headers['strict-transport-security']).toBe(expected);
    },
  );

  it.each([
    ['a page', '/sign-in', 200],
    ['a redirect', '/approvals', 303],
    ['a path that does not exist', '/nothing', 404],
    ['another host', '/', 421],
  ])(
    `${expected === undefined ? 'no' : 'every'} answer of the dashboard demands TLS: %s`,
    async (_what, path, status) => {
      const { send } = await openDashboard({ dashboardUrl });
      const host = status === 421 ? 'other.example.org' : 'approve.example.org';
      const answer = await send({ path, headers: { host } });
      expect(answer.status).toBe(status);
      expect(answer.headers['strict-transport-security']).toBe(expected);
    },
  );
});

import type { ComponentChildren } from 'preact';
import { publicBase } from '../../http/public-base.ts';

/** The command that makes the first call, and shows that the key works. */
export function testCommand(baseUrl: string, apiKey: string): string {
  return `curl -H 'Authorization: Bearer ${apiKey}' ${publicBase(baseUrl).address('/v1/me')}`;
}

/**
 * What an agent needs to call Countersign, ready to copy.
 * @param props  `apiKey`: the key, or a placeholder for it; `isFolded`: the first way is folded, too
 */
export function AgentConfiguration(props: { baseUrl: string; apiKey: string; isFolded?: boolean }) {
  const { baseUrl, apiKey, isFolded = false } = props;
  const api = publicBase(baseUrl);
  const http = {
    type: 'http',
    url: api.address('/mcp'),
    headers: { Authorization: `Bearer ${apiKey}` },
  };
  const stdio = {
    command: 'countersign',
    args: ['mcp'],
    env: { COUNTERSIGN_BASE_URL: baseUrl, COUNTERSIGN_API_KEY: apiKey },
  };
  return (
    <>
      <Way title="An assistant or editor that takes MCP servers by address" isOpen={!isFolded}>
        <Copied text={asJson(http)} />
      </Way>
      <Way title="One that starts its MCP servers with a command">
        <p class="quiet">
          It needs the command <code>countersign</code> on its machine.
        </p>
        <Copied text={asJson(stdio)} />
      </Way>
      <Way title="A program of your own, over HTTP">
        <p class="quiet">
          The description for programs is at <code>{api.address('/v1/openapi.json')}</code>. A write that
          answers <code>202</code> waits for you.
        </p>
        <Copied text={`curl -H 'Authorization: Bearer ${apiKey}' '${api.address('/v1/messages?limit=3')}'`} />
      </Way>
    </>
  );
}

function Way(props: { title: string; isOpen?: boolean; children: ComponentChildren }) {
  const { title, isOpen = false, children } = props;
  return (
    <details class="way" open={isOpen}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** One click selects all of it. */
export function Copied({ text }: { text: string }) {
  return <code class="exact secret">{text}</code>;
}

function asJson(server: object): string {
  return JSON.stringify({ mcpServers: { countersign: server } }, null, 2);
}

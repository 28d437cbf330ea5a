/** The MCP clients that the long run tries. Each has a program in `programs`, which runs in a project of its own. */

/** What is tried with each client, with the heads of the table's columns. */
export const CHECKS = {
  connect: 'connect',
  list: 'list',
  call: 'call',
  wait: 'wait',
  progress: 'progress',
  cancel: 'cancel',
  signIn: 'sign in',
  refresh: 'refresh',
  command: 'by command',
} as const;

export type Check = keyof typeof CHECKS;

export interface TriedClient {
  readonly name: string;
  /** The MCP revision that it speaks at both doors, or by the command if it can do nothing else. */
  readonly revision: string;
  /** What npm installs, the client itself first. */
  readonly packages: readonly [client: string, ...others: string[]];
  /** The file in `programs`, without its ending, and its arguments. */
  readonly program: readonly [name: string, ...args: string[]];
  /** The version of Node that it needs, unless it runs on each that Countersign runs on. */
  readonly node?: number;
  /** Checks that it has no way to do. */
  readonly lacks?: readonly Check[];
  /** For the table. */
  readonly note?: string;
}

export function versionOf({ packages: [client] }: TriedClient): string {
  return client.slice(client.lastIndexOf('@') + 1);
}

const SDK_1 = '@modelcontextprotocol/sdk@1.32.2';

const IN_FRONT = 'a command in front of the address, for programs that start their servers';
const ONE_REQUEST = 'a process for each request';
const OVER_SDK_1 = 'turns the tools of the official 1.x client into those of its own library';

export const CLIENTS: readonly TriedClient[] = [
  {
    name: '@modelcontextprotocol/sdk',
    revision: '2025-11-25',
    packages: [SDK_1],
    program: ['official-1'],
  },
  {
    name: '@modelcontextprotocol/client',
    revision: '2025-11-25',
    packages: ['@modelcontextprotocol/client@2.4.0'],
    program: ['official-2'],
  },
  {
    name: '@modelcontextprotocol/client, pinned',
    revision: '2026-07-28',
    packages: ['@modelcontextprotocol/client@2.4.0'],
    program: ['official-2', '2026-07-28'],
  },
  {
    name: 'mcp-remote',
    revision: '2025-11-25',
    packages: ['mcp-remote@0.15.1', SDK_1],
    program: ['mcp-remote'],
    lacks: ['command'],
    note: IN_FRONT,
  },
  {
    name: 'supergateway',
    revision: '2025-11-25',
    packages: ['supergateway@4.0.0', SDK_1],
    program: ['supergateway'],
    lacks: ['progress', 'cancel', 'signIn', 'refresh', 'command'],
    note: `${IN_FRONT}; passes on neither progress nor cancellations`,
  },
  {
    name: '@modelcontextprotocol/inspector --cli',
    revision: '2025-11-25',
    packages: ['@modelcontextprotocol/inspector@2.12.0'],
    program: ['inspector', 'legacy'],
    node: 22,
    lacks: ['progress'],
    note: ONE_REQUEST,
  },
  {
    name: '@modelcontextprotocol/inspector --cli --protocol-era modern',
    revision: '2026-07-28',
    packages: ['@modelcontextprotocol/inspector@2.12.0'],
    program: ['inspector', 'modern'],
    node: 22,
    lacks: ['progress'],
    note: ONE_REQUEST,
  },
  {
    name: '@ai-sdk/mcp',
    revision: '2026-07-28',
    packages: ['@ai-sdk/mcp@2.0.99', 'ai@7.0.173'],
    program: ['ai-sdk'],
    node: 22,
    lacks: ['progress'],
  },
  {
    name: '@langchain/mcp-adapters',
    revision: '2025-11-25',
    packages: ['@langchain/mcp-adapters@1.1.4', '@langchain/core@1.4.0', SDK_1],
    program: ['langchain'],
  },
  {
    name: '@mastra/mcp',
    revision: '2026-07-28',
    packages: ['@mastra/mcp@2.0.0', '@mastra/core@1.71.0', '@modelcontextprotocol/client@2.4.0', 'zod@4.6.7'],
    program: ['mastra'],
    node: 22,
  },
  {
    name: '@openai/agents',
    revision: '2026-07-28',
    packages: ['@openai/agents@0.20.0', '@modelcontextprotocol/client@2.4.0', 'zod@4.6.7'],
    program: ['openai-agents'],
    lacks: ['progress'],
  },
  {
    name: '@google/genai mcpToTool',
    revision: '2025-11-25',
    packages: ['@google/genai@3.3.0', SDK_1],
    program: ['google-genai'],
    node: 22,
    lacks: ['progress', 'cancel'],
    note: OVER_SDK_1,
  },
  {
    name: '@anthropic-ai/sdk mcpTools',
    revision: '2025-11-25',
    packages: ['@anthropic-ai/sdk@1.14.0', SDK_1],
    program: ['anthropic'],
    lacks: ['progress', 'cancel'],
    note: OVER_SDK_1,
  },
  {
    name: '@llamaindex/tools',
    revision: '2025-11-25',
    packages: ['@llamaindex/tools@0.2.1', SDK_1],
    program: ['llamaindex'],
    lacks: ['progress', 'cancel'],
  },
  {
    name: 'mcp-client',
    revision: '2025-11-25',
    packages: ['mcp-client@1.13.1'],
    program: ['mcp-client'],
    lacks: ['connect', 'list', 'call', 'wait', 'progress', 'cancel', 'signIn', 'refresh'],
    note: 'can send neither a key nor a token',
  },
];

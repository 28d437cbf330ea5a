import { randomBytes } from 'node:crypto';
import type { Dovecot } from '../../servers/dovecot.ts';
import type { Postfix } from '../../servers/postfix.ts';
import { type BundledServer, newSettings, startServer } from './bundled-server.ts';
import { bundleOf, startChild } from './child.ts';
import { bareAnswer, type Door, type ProbeQuestion, probeAnswer, strangersAnswer } from './child-messages.ts';
import { loopDelay } from './loop-delay.ts';
import { NO_LIMITS } from './no-limits.ts';
import { playStrangers } from './strangers-played.ts';
import { openStrangers, type StrangersScene } from './strangers-scene.ts';
import type { Row } from './table.ts';

const PROBE_EVERY_MS = 20;
const BOUND = { most: 100 };
const BARE = 'a server that does nothing';

/**
 * How long callers wait at each door of the bundled server while it reads hostile mails, calendars and documents and
 * talks to odd servers, all at once, and how long its event loop stands still. The reference is a server that does
 * nothing, in the same minutes: what the machine adds, whose processors all these processes share.
 */
export async function playedAtOnce(dovecot: Dovecot, postfix: Postfix): Promise<Row[]> {
  const secretKey = randomBytes(32);
  const { env, file, remove } = newSettings();
  const strangers = startChild('stranger-servers');
  const bare = startChild('bare-server');
  const probe = startChild('probe');
  const server = await startServer(
    {
      ...env,
      COUNTERSIGN_SECRET_KEY: secretKey.toString('base64'),
      COUNTERSIGN_ALLOW_PRIVATE_SERVERS: 'all',
      COUNTERSIGN_ALLOW_PRIVATE_TARGETS: 'localhost',
      COUNTERSIGN_LIMITS: JSON.stringify({
        ...NO_LIMITS,
        directSendsPerDay: 1_000_000,
        directSendsPer10Min: 1_000_000,
      }),
      COUNTERSIGN_LOG: 'error',
    },
    ['--import', bundleOf('watched-loop')],
  );
  try {
    const ports = await strangers.ask({}, strangersAnswer);
    const scene = await openStrangers(server, { file, secretKey }, { dovecot, postfix }, ports);
    const { port } = await bare.ask({}, bareAnswer);
    const reference = { name: BARE, url: `http://127.0.0.1:${port}/`, ...plain(200) };
    const start: ProbeQuestion = {
      ...{ kind: 'start', doors: doorsOf(server, scene), reference, everyMs: PROBE_EVERY_MS },
    };
    await probe.ask(start, probeAnswer);
    await bare.ask({}, bareAnswer);
    await server.ask({}, loopDelay);
    const beganMs = performance.now();
    const ended = await playStrangers(server, scene);
    const tookS = Math.round((performance.now() - beganMs) / 1000);
    const stood = await server.ask({}, loopDelay);
    const { delay: bareStood } = await bare.ask({}, bareAnswer);
    const waits = await probe.ask({ kind: 'stop' } satisfies ProbeQuestion, probeAnswer);
    const wrong = Object.entries(waits).find(([, one]) => one.wrong !== '');
    if (wrong !== undefined) throw new Error(`${wrong[0]} answered ${wrong[1].wrong}`);
    const played = [...ended].map(([kind, ends]) => {
      const all = [...ends].map(([end, count]) => `${count} ${end}`);
      return { name: `  ${kind}: ${all.join(', ')}`, unit: '' as const };
    });
    const { [BARE]: bareWait, ...doors } = waits;
    return [
      { name: `all at once for ${tookS} s, a probe every ${PROBE_EVERY_MS} ms; a bare server`, unit: '' },
      ...played,
      ...Object.entries(doors).map(
        ([name, wait]): Row => ({
          name: `  longest wait of ${wait.count} at ${name} (median ${wait.medianMs.toFixed(1)} ms)`,
          unit: 'ms',
          ours: wait.longestMs,
          reference: bareWait?.longestMs ?? Number.NaN,
          bound: BOUND,
        }),
      ),
      {
        name: "  longest stall of the server's event loop",
        ...{ unit: 'ms', ours: stood.stoodMs, reference: bareStood.stoodMs, bound: BOUND },
      },
      {
        name: '  the longest without waiting for a processor',
        ...{ unit: 'ms', ours: stood.ranMs, reference: bareStood.ranMs, bound: BOUND },
      },
      {
        name: '  the longest that it computed meanwhile',
        ...{ unit: 'ms', ours: stood.computedMs, reference: bareStood.computedMs, bound: BOUND },
      },
      {
        name: '  the longest collection of garbage',
        ...{ unit: 'ms', ours: stood.collectedMs, reference: bareStood.collectedMs, bound: BOUND },
      },
    ];
  } finally {
    await server.stop();
    await Promise.all([strangers.stop(), bare.stop(), probe.stop()]);
    remove();
  }
}

function plain(status: number, headers: Readonly<Record<string, string>> = {}) {
  return { headers, body: null, status };
}

/** Calls and pages that need no server of a stranger. */
function doorsOf(
  { baseUrl, dashboardUrl, mcpUrl }: BundledServer,
  { mail, accessToken, cookie }: StrangersScene,
): Door[] {
  const upgrade = {
    ...{ cookie, origin: dashboardUrl, connection: 'Upgrade', upgrade: 'websocket' },
    ...{ 'sec-websocket-version': '13', 'sec-websocket-key': randomBytes(16).toString('base64') },
  };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_me', arguments: {} } };
  const mcp = (url: string, token: string): Omit<Door, 'name'> => ({
    url: `${url}/mcp`,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(call),
    status: 200,
  });
  return [
    { name: '/healthz', url: `${baseUrl}/healthz`, ...plain(200) },
    {
      name: 'REST, list_approvals',
      url: `${baseUrl}/v1/approvals`,
      ...plain(200, { authorization: `Bearer ${mail}` }),
    },
    { name: 'MCP with a key, get_me', ...mcp(baseUrl, mail) },
    { name: 'MCP with a sign-in, get_me', ...mcp(mcpUrl, accessToken) },
    { name: 'the sign-in page', url: `${dashboardUrl}/sign-in`, ...plain(200) },
    { name: 'the page of requests', url: `${dashboardUrl}/approvals`, ...plain(200, { cookie }) },
    { name: 'the socket of an open page', url: `${dashboardUrl}/live`, ...plain(101, upgrade) },
  ];
}

import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import * as z from 'zod';
import { publicBase } from '../http/public-base.ts';
import type { BridgeSettings } from './bridge-settings.ts';
import { brokenProblem, type Problem, refusalProblem, unreachableProblem } from './problems.ts';
import { eventData } from './text-events.ts';

/**
 * The tool protocol on stdin and stdout, one message per line, in front of a running server. Each message becomes one
 * POST to `{base_url}/mcp` with the key, unchanged; what comes back goes to stdout. It keeps nothing but the protocol
 * version that the client agreed on, so it serves every revision that the server serves.
 */
export interface BridgeStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Shows the user a line about a problem. */
  report(line: string): void;
}

/** How long answers may take after the client has closed stdin. Most clients terminate the process after 2 s. */
const LAST_ANSWERS_MS = 5000;

const id = z.union([z.string(), z.number()]);
/** As far as the bridge needs to understand a message. */
const message = z.looseObject({
  id: id.nullish(),
  method: z.string().optional(),
  params: z
    .looseObject({
      name: z.unknown().optional(),
      requestId: id.optional(),
      _meta: z.looseObject({}).optional(),
    })
    .optional(),
  result: z.looseObject({}).optional(),
  error: z.looseObject({}).optional(),
});
type Message = z.infer<typeof message>;
type Id = z.infer<typeof id>;

const messages = z.union([message.transform((one) => [one]), z.array(message)]);
const refused = z.looseObject({ code: z.string(), message: z.string() });

const VERSION_IN_META = 'io.modelcontextprotocol/protocolVersion';
const PARSE_ERROR = -32700;
/** From the range that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32000;

/** Runs until the client closes `input`, or `stop` is aborted. Resolves when the last answer is written. */
export async function runBridge(
  settings: BridgeSettings,
  { input, output, report }: BridgeStreams,
  stop: AbortSignal,
): Promise<void> {
  const url = publicBase(settings.baseUrl).address('/mcp');
  const running = new Map<Id, AbortController>();
  const underWay = new Set<Promise<void>>();
  let agreedVersion: string | undefined;
  let lastReport = '';

  function write(value: unknown): void {
    output.write(`${JSON.stringify(value)}\n`);
  }

  function fail(ids: readonly Id[], code: number, text: string, data?: unknown): void {
    for (const one of ids) write({ jsonrpc: '2.0', id: one, error: { code, message: text, data } });
  }

  /** A problem that lasts is reported once. */
  function failWith(ids: readonly Id[], { text, data, isForUser }: Problem): void {
    if (isForUser && text !== lastReport) report(text);
    if (isForUser) lastReport = text;
    fail(ids, SERVER_ERROR, text, data);
  }

  function headersOf(sent: readonly Message[]): Record<string, string> {
    const [first] = sent;
    const own = first?.params?._meta?.[VERSION_IN_META];
    const version = typeof own === 'string' ? own : agreedVersion;
    const name = first?.params?.name;
    return {
      Authorization: `Bearer ${settings.apiKey}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(version === undefined ? {} : { 'MCP-Protocol-Version': version }),
      ...(typeof own === 'string' && first?.method !== undefined ? { 'Mcp-Method': first.method } : {}),
      ...(typeof own === 'string' && typeof name === 'string' ? { 'Mcp-Name': headerValue(name) } : {}),
    };
  }

  /** Passes on one message of the server. */
  function passOn(value: unknown, sent: readonly Message[], open: Set<Id>): void {
    lastReport = '';
    for (const received of messages.safeParse(value).data ?? []) {
      const isAnswer = received.result !== undefined || received.error !== undefined;
      const isInitialize = sent.some(({ method, id: one }) => method === 'initialize' && one === received.id);
      const version = received.result?.protocolVersion;
      if (isInitialize && typeof version === 'string') agreedVersion = version;
      if (isAnswer && received.id != null) open.delete(received.id);
    }
    // An error without an id concerns the one request that was sent.
    const [only, ...others] = [...open];
    const isUnnamed = z.looseObject({ id: z.null(), error: z.unknown() }).safeParse(value);
    if (isUnnamed.success && only !== undefined && others.length === 0) {
      open.delete(only);
      write({ ...isUnnamed.data, id: only });
    } else {
      write(value);
    }
  }

  /** Sends one line, and passes on what comes back. */
  async function forward(line: string, sent: readonly Message[]): Promise<void> {
    const open = new Set(
      sent.flatMap(({ id: one, method }) => (one == null || method === undefined ? [] : [one])),
    );
    const abort = new AbortController();
    for (const one of open) running.set(one, abort);
    const requestIds = [...open];
    let response: Response | undefined;
    try {
      response = await fetch(url, {
        method: 'POST',
        headers: headersOf(sent),
        body: line,
        redirect: 'manual',
        signal: abort.signal,
      });
      const type = response.headers.get('content-type') ?? '';
      if (response.ok && type.startsWith('text/event-stream') && response.body !== null) {
        for await (const data of eventData(response.body)) passOn(JSON.parse(data), sent, open);
        if (open.size > 0) failWith([...open], brokenProblem(url));
        return;
      }
      const text = await response.text();
      if (response.ok && text === '') return;
      const body = jsonOf(text);
      const isProtocol = z.union([z.looseObject({ jsonrpc: z.literal('2.0') }), z.array(z.unknown())]);
      if (isProtocol.safeParse(body).success) {
        passOn(body, sent, open);
        return;
      }
      failWith([...open], refusalProblem(url, response.status, refused.safeParse(body).data));
    } catch (cause) {
      // A cancelled request gets no answer.
      if (!abort.signal.aborted)
        failWith([...open], response === undefined ? unreachableProblem(url, cause) : brokenProblem(url));
    } finally {
      for (const one of requestIds) running.delete(one);
    }
  }

  function receive(line: string): void {
    if (line.trim() === '') return;
    const sent = messages.safeParse(jsonOf(line)).data;
    if (sent === undefined) {
      write({
        jsonrpc: '2.0',
        id: null,
        error: { code: PARSE_ERROR, message: 'The line is not a message.' },
      });
      return;
    }
    const [first] = sent;
    if (first?.method === 'notifications/cancelled' && sent.length === 1) {
      // Over HTTP, a request is cancelled by closing its connection.
      const { requestId } = first.params ?? {};
      if (requestId !== undefined) running.get(requestId)?.abort();
      return;
    }
    const work = forward(line, sent).finally(() => underWay.delete(work));
    underWay.add(work);
  }

  const lines = createInterface({ input });
  const closed = new Promise<void>((resolve) => lines.once('close', resolve));
  const abortAll = () => {
    lines.close();
    for (const one of running.values()) one.abort();
  };
  stop.addEventListener('abort', abortAll, { once: true });
  // The client is gone: nobody reads the answers.
  output.once('error', abortAll);
  lines.on('line', receive);
  if (stop.aborted) abortAll();
  await closed;
  const patience = setTimeout(abortAll, LAST_ANSWERS_MS);
  while (underWay.size > 0) await Promise.all(underWay);
  clearTimeout(patience);
  stop.removeEventListener('abort', abortAll);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Source: MCP 2026-07-28, Streamable HTTP: a value that is not plain ASCII comes as base64. */
function headerValue(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) && !text.startsWith('=?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

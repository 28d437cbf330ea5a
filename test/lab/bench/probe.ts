import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerParent } from './answer-parent.ts';
import { type Door, type ProbeAnswer, probeQuestion } from './child-messages.ts';

/** A process that asks at one door after another, without waiting for the last one, and notes how long each takes. */

/** How long the last answers are waited for. What has not come by then counts as long as it took so far. */
const LAST_MS = 10_000;

const agent = new Agent({ keepAlive: true });
const took = new Map<string, number[]>();
const wrong = new Map<string, string>();
/** Requests that are not answered yet, with when they began. */
const open = new Map<Promise<void>, { readonly name: string; readonly beganMs: number }>();
let timer: NodeJS.Timeout | undefined;

function ask(one: Door): void {
  const beganMs = performance.now();
  const asked = statusAt(one).then((status) => {
    took.get(one.name)?.push(performance.now() - beganMs);
    if (status !== String(one.status)) wrong.set(one.name, status);
  });
  open.set(asked, { name: one.name, beganMs });
  void asked.finally(() => open.delete(asked));
}

/** Resolves with the status once the response is there, or with what went wrong. */
function statusAt(one: Door): Promise<string> {
  const { url, headers, body } = one;
  return new Promise((resolve) => {
    const sent = request(url, { agent, headers, method: body === null ? 'GET' : 'POST' });
    sent.once('error', (error) => {
      // The server ended an idle connection just now: clients try again on a new one.
      if (sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET') resolve(statusAt(one));
      else resolve(error.message);
    });
    sent.once('response', (response) => {
      response.resume().once('close', () => resolve(String(response.statusCode)));
    });
    sent.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(String(response.statusCode));
    });
    sent.end(body ?? undefined);
  });
}

async function summary(): Promise<ProbeAnswer> {
  clearInterval(timer);
  await Promise.race([Promise.all(open.keys()), sleep(LAST_MS)]);
  for (const { name, beganMs } of open.values()) took.get(name)?.push(performance.now() - beganMs);
  const named = [...took].map(([name, all]) => {
    const sorted = all.toSorted((one, other) => one - other);
    const medianMs = sorted[Math.floor(sorted.length / 2)] ?? 0;
    const longestMs = sorted.at(-1) ?? 0;
    return [name, { count: sorted.length, medianMs, longestMs, wrong: wrong.get(name) ?? '' }] as const;
  });
  return Object.fromEntries(named);
}

answerParent(
  async (asked): Promise<ProbeAnswer> => {
    const order = probeQuestion.parse(asked);
    if (order.kind === 'stop') return summary();
    const { doors, reference, everyMs } = order;
    took.clear();
    for (const { name } of [...doors, reference]) took.set(name, []);
    let turn = 0;
    timer = setInterval(() => {
      ask(reference);
      const next = doors[turn % doors.length];
      if (next !== undefined) ask(next);
      turn += 1;
    }, everyMs);
    return {};
  },
  () => process.exit(0),
);

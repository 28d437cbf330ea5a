import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newApiKey } from '../../../core/keys/credential.ts';
import { PLAN_LIMITS } from '../../../core/keys/limits.ts';
import { SIGNER } from '../../contracts/storage/scene.ts';
import { type RawRequest, sendRaw } from './raw-http.ts';
import { type RestServer, restServer } from './rest-server.ts';

// The order of refusals: whatever two rules a request breaks, the earlier one is reported.

let server: RestServer;
/** Of an owner whose day is used up. */
let spentKey: string;
/** May read only. */
let readKey: string;

beforeAll(async () => {
  server = await restServer();
  readKey = await server.key({ preset: 'read' });
  await server.storage.addOwner({
    ownerId: 'spent',
    email: 'spent@example.org',
    timezone: 'UTC',
    language: 'en-GB',
    plansKeptDays: 30,
    proofFor: 'every_12_hours',
    plan: 'paid',
    limits: { ...PLAN_LIMITS.paid, callsPerDay: 0 },
    passwordHash: null,
    signer: SIGNER,
    now: new Date(),
  });
  spentKey = await server.key({ ownerId: 'spent' });
});
afterAll(() => server.stop());

interface Sketch {
  host: string;
  origin?: string;
  method: string;
  path: string;
  query: string;
  key: string;
  length: string | 'right' | 'none';
  type: string;
  idempotencyKey?: string;
  body: string;
}

/** In their order. Each breaks one rule of a request that is otherwise right. */
const BREACHES: { code: string; status: number; breach(sketch: Sketch): void }[] = [
  {
    code: 'misdirected_request',
    status: 421,
    breach: (s) => {
      s.host = 'elsewhere.example';
    },
  },
  {
    code: 'origin_not_allowed',
    status: 403,
    breach: (s) => {
      s.origin = 'https://page.example';
    },
  },
  {
    code: 'token_in_url',
    status: 400,
    breach: (s) => {
      s.query = `?k=${newApiKey(randomBytes)}`;
    },
  },
  {
    code: 'not_found',
    status: 404,
    breach: (s) => {
      s.path = '/v1/nothing';
    },
  },
  {
    code: 'method_not_allowed',
    status: 405,
    breach: (s) => {
      s.method = 'PATCH';
    },
  },
  {
    code: 'invalid_token',
    status: 401,
    breach: (s) => {
      s.key = 'svc_pat_wrong';
    },
  },
  {
    code: 'length_required',
    status: 411,
    breach: (s) => {
      s.length = 'none';
    },
  },
  {
    code: 'invalid_content_length',
    status: 400,
    breach: (s) => {
      s.length = 'twelve';
    },
  },
  {
    code: 'payload_too_large',
    status: 413,
    breach: (s) => {
      s.length = '262145';
    },
  },
  {
    code: 'unsupported_media_type',
    status: 415,
    breach: (s) => {
      s.type = 'text/plain';
    },
  },
  {
    code: 'daily_limit_reached',
    status: 429,
    breach: (s) => {
      s.key = spentKey;
    },
  },
  {
    code: 'invalid_arguments',
    status: 400,
    breach: (s) => {
      s.body = '{"arguments":';
    },
  },
  {
    code: 'invalid_idempotency_key',
    status: 400,
    breach: (s) => {
      s.idempotencyKey = 'two words';
    },
  },
  {
    code: 'not_found',
    status: 404,
    breach: (s) => {
      s.path = '/v1/tools/no_such_tool';
    },
  },
  {
    code: 'not_permitted',
    status: 403,
    breach: (s) => {
      s.key = readKey;
    },
  },
  {
    code: 'invalid_arguments',
    status: 400,
    breach: (s) => {
      s.body = '{"arguments":{"to":[]}}';
    },
  },
];

function rightRequest(): Sketch {
  return {
    host: `127.0.0.1:${server.port}`,
    method: 'POST',
    path: '/v1/tools/send_email',
    query: '',
    key: server.apiKey,
    length: 'right',
    type: 'application/json',
    body: JSON.stringify({ arguments: { to: ['ada@example.org'], subject: 'Hi', body: 'Hello' } }),
  };
}

let caller = 0;

function written(sketch: Sketch): RawRequest {
  const length = sketch.length === 'right' ? String(Buffer.byteLength(sketch.body)) : sketch.length;
  caller += 1;
  return {
    method: sketch.method,
    target: sketch.path + sketch.query,
    headers: [
      ['Host', sketch.host],
      ['Authorization', `Bearer ${sketch.key}`],
      ['Content-Type', sketch.type],
      // Each from an address of its own: those without a key have a budget.
      ['X-Forwarded-For', `192.0.${caller >> 8}.${caller & 255}`],
      ...(sketch.origin === undefined ? [] : ([['Origin', sketch.origin]] as [string, string][])),
      ...(length === 'none' ? [] : ([['Content-Length', length]] as [string, string][])),
      ...(sketch.idempotencyKey === undefined
        ? []
        : ([['Idempotency-Key', sketch.idempotencyKey]] as [string, string][])),
    ],
    body: length === 'none' ? '' : sketch.body,
  };
}

/** Two breaches that change the same part of a request cannot stand in one. */
function clash(one: (sketch: Sketch) => void, other: (sketch: Sketch) => void): boolean {
  const [a, b] = [rightRequest(), rightRequest()];
  one(a);
  other(b);
  const parts = Object.keys({ ...a, ...b }) as (keyof Sketch)[];
  const right = rightRequest();
  return parts.some((part) => a[part] !== right[part] && b[part] !== right[part]);
}

describe('one breach', () => {
  it('none: the request is filed', async () => {
    expect(await sendRaw(server.port, written(rightRequest()))).toMatchObject({ status: 202 });
  });

  it.each(BREACHES.map((row, at) => ({ ...row, at })))(
    '$at: $status $code',
    async ({ code, status, breach }) => {
      const sketch = rightRequest();
      breach(sketch);
      const answer = await sendRaw(server.port, written(sketch));
      expect(answer).toMatchObject({ status, json: { status: 'error', code } });
    },
  );
});

describe('two breaches', () => {
  const pairs = BREACHES.flatMap((first, at) =>
    BREACHES.slice(at + 1).map((second, gap) => ({ first, second, name: `${at} before ${at + 1 + gap}` })),
  );

  it.each(pairs)('$name: $first.code before $second.code', async ({ first, second, name }) => {
    if (clash(first.breach, second.breach)) return expect(SAME_PART).toContain(name);
    const sketch = rightRequest();
    first.breach(sketch);
    second.breach(sketch);
    const answer = await sendRaw(server.port, written(sketch));
    expect(answer).toMatchObject({ status: first.status, json: { code: first.code } });
  });
});

describe('the tool protocol', () => {
  /** What is judged before the message is read. */
  const breaches = BREACHES.slice(
    0,
    BREACHES.findIndex(({ code }) => code === 'invalid_arguments'),
  );
  const pairs = breaches.flatMap((first, at) =>
    [undefined, ...breaches.slice(at + 1)].map((second) => ({
      name: second === undefined ? first.code : `${first.code} before ${second.code}`,
      first,
      breach(sketch: Sketch) {
        first.breach(sketch);
        if (second !== undefined && !clash(first.breach, second.breach)) second.breach(sketch);
      },
    })),
  );

  it.each(pairs)('$name', async ({ first, breach }) => {
    const sketch = { ...rightRequest(), path: '/mcp' };
    breach(sketch);
    const answer = await sendRaw(server.port, written(sketch));
    expect(answer).toMatchObject({ status: first.status, json: { code: first.code } });
    if (first.status === 405) expect(answer.headers.allow).toBe('POST');
  });
});

/** Path with path, key with key, length with length, body with body. */
const SAME_PART = [
  ...['3 before 13'],
  ...['5 before 10', '5 before 14', '10 before 14'],
  ...['6 before 7', '6 before 8', '7 before 8'],
  ...['11 before 15'],
];

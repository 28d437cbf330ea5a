import { describe, expect, it } from 'vitest';
import { checkRequest, type Verdict } from '../../../hosts/dashboard/request-guard.ts';

const LOCAL = 'http://127.0.0.1:8788';
const NAMED = 'http://countersign.localhost:8788';
const PUBLIC = 'https://dash.example.org';

interface Row {
  why: string;
  own: string;
  method?: string;
  target?: string;
  headers: Record<string, string>;
  verdict: Verdict['kind'];
  /** The page's origin, if it differs from the dashboard's URL. */
  origin?: string;
}

const rows: Row[] = [
  { why: 'its own address', own: LOCAL, headers: { host: '127.0.0.1:8788' }, verdict: 'pass' },
  {
    why: 'another loopback name',
    own: LOCAL,
    headers: { host: 'localhost:8788' },
    verdict: 'pass',
    origin: 'http://localhost:8788',
  },
  {
    why: 'its IPv6 address',
    own: LOCAL,
    headers: { host: '[::1]:8788' },
    verdict: 'pass',
    origin: 'http://[::1]:8788',
  },
  {
    why: 'its own name',
    own: LOCAL,
    headers: { host: 'countersign.localhost:8788' },
    verdict: 'pass',
    origin: NAMED,
  },
  {
    why: 'its own name in upper case',
    own: LOCAL,
    headers: { host: 'Countersign.LocalHost:8788' },
    verdict: 'pass',
    origin: NAMED,
  },
  {
    why: 'its own name with another port',
    own: LOCAL,
    headers: { host: 'countersign.localhost:3000' },
    verdict: 'misdirected',
  },
  {
    why: 'another subdomain of localhost',
    own: LOCAL,
    headers: { host: 'agent.localhost:8788' },
    verdict: 'misdirected',
  },
  {
    why: 'a subdomain of its own name',
    own: LOCAL,
    headers: { host: 'x.countersign.localhost:8788' },
    verdict: 'misdirected',
  },
  {
    why: "the local dashboard's name, sent to a public dashboard",
    own: PUBLIC,
    headers: { host: 'countersign.localhost' },
    verdict: 'misdirected',
  },
  ...(
    [
      ['127.0.0.1', 'localhost'],
      ['localhost', '127.0.0.1'],
      ['countersign.localhost', '127.0.0.1'],
      ['127.0.0.1', 'countersign.localhost'],
      ['countersign.localhost', 'localhost'],
    ] as const
  ).map(
    ([host, from]): Row => ({
      why: `a form for ${host} of a page of ${from}`,
      own: LOCAL,
      method: 'POST',
      headers: { host: `${host}:8788`, origin: `http://${from}:8788` },
      verdict: 'foreign',
      origin: `http://${host}:8788`,
    }),
  ),
  {
    why: 'its own form under its own name',
    own: LOCAL,
    method: 'POST',
    headers: { host: 'countersign.localhost:8788', origin: NAMED, 'sec-fetch-site': 'same-origin' },
    verdict: 'pass',
    origin: NAMED,
  },
  {
    why: 'a form from another port of its own name',
    own: LOCAL,
    method: 'POST',
    headers: { host: 'countersign.localhost:8788', origin: 'http://countersign.localhost:3000' },
    verdict: 'foreign',
    origin: NAMED,
  },
  { why: 'another port', own: LOCAL, headers: { host: '127.0.0.1:8787' }, verdict: 'misdirected' },
  {
    why: 'a foreign name that resolves here',
    own: LOCAL,
    headers: { host: 'evil.example:8788' },
    verdict: 'misdirected',
  },
  { why: 'no Host', own: LOCAL, headers: {}, verdict: 'misdirected' },
  { why: 'a public name', own: PUBLIC, headers: { host: 'dash.example.org' }, verdict: 'pass' },
  {
    why: 'a public name with its port',
    own: PUBLIC,
    headers: { host: 'DASH.example.org:443' },
    verdict: 'pass',
  },
  {
    why: 'the loopback host of a public dashboard',
    own: PUBLIC,
    headers: { host: 'localhost' },
    verdict: 'misdirected',
  },
  {
    why: 'an absolute URL of another host',
    own: LOCAL,
    target: 'http://evil.example/approvals',
    headers: { host: '127.0.0.1:8788' },
    verdict: 'misdirected',
  },
  {
    why: 'its own form',
    own: PUBLIC,
    method: 'POST',
    headers: { host: 'dash.example.org', origin: PUBLIC, 'sec-fetch-site': 'same-origin' },
    verdict: 'pass',
  },
  {
    why: 'its own form under another loopback name',
    own: LOCAL,
    method: 'POST',
    headers: { host: 'localhost:8788', origin: 'http://localhost:8788' },
    verdict: 'pass',
    origin: 'http://localhost:8788',
  },
  {
    why: 'a form from another origin',
    own: PUBLIC,
    method: 'POST',
    headers: { host: 'dash.example.org', origin: 'https://evil.example' },
    verdict: 'foreign',
  },
  {
    why: "a form from another port, such as the API's",
    own: LOCAL,
    method: 'POST',
    headers: { host: '127.0.0.1:8788', origin: 'http://127.0.0.1:8787' },
    verdict: 'foreign',
  },
  {
    why: 'a form from the same host without TLS',
    own: PUBLIC,
    method: 'POST',
    headers: { host: 'dash.example.org', origin: 'http://dash.example.org:443' },
    verdict: 'foreign',
  },
  {
    why: 'a form from a page that hides its origin',
    own: LOCAL,
    method: 'POST',
    headers: { host: '127.0.0.1:8788', origin: 'null' },
    verdict: 'foreign',
  },
  ...(['cross-site', 'same-site'] as const).map(
    (site): Row => ({
      why: `a form that the browser calls ${site}`,
      own: LOCAL,
      method: 'POST',
      headers: { host: '127.0.0.1:8788', 'sec-fetch-site': site },
      verdict: 'foreign',
    }),
  ),
  {
    why: 'a form from no browser, left to the token check',
    own: LOCAL,
    method: 'POST',
    headers: { host: '127.0.0.1:8788' },
    verdict: 'pass',
  },
  {
    why: 'a link on another site',
    own: LOCAL,
    headers: { host: '127.0.0.1:8788', 'sec-fetch-site': 'cross-site' },
    verdict: 'pass',
  },
];

describe('a request', () => {
  it.each(rows)(
    'with $why: $verdict',
    ({ own, method = 'GET', target = '/approvals', headers, verdict, origin = own }) => {
      const judged = checkRequest({ method, target, headers, peer: '192.0.2.1' }, own);
      expect(judged).toEqual(verdict === 'misdirected' ? { kind: verdict } : { kind: verdict, origin });
    },
  );
});

import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { brokenRequests } from '../../../hosts/http/broken-request.ts';
import { clientAddress, trustedProxies } from '../../../hosts/http/client-address.ts';
import { leakedKeys } from '../../../hosts/http/leaked-keys.ts';
import { bearerToken, type RequestHead, targetOf } from '../../../hosts/http/request-head.ts';
import { routeArguments } from '../../../hosts/rest/call-arguments.ts';
import { shapes, superlinear } from '../../growth.ts';

const PARTS = [
  ' ',
  '\t',
  '\r',
  'a',
  ':',
  '%',
  '%25',
  '%2',
  '&',
  '=',
  '&a',
  '?',
  '/',
  ';',
  'for=',
  ',',
  '"',
  'svc_pat_',
  'é',
];
const head = (changes: Partial<RequestHead>): RequestHead => ({
  method: 'GET',
  target: '/',
  headers: {},
  peer: '127.0.0.1',
  ...changes,
});
const isTrusted = trustedProxies(['127.0.0.1']);

function breaks(header: string): void {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const service = { calls: { address: () => Promise.reject(new Error('not needed')) } };
  const answer = brokenRequests(service as never, () => Promise.resolve(undefined));
  const rawPacket = Buffer.from(`GET / HTTP/1.1\r\nContent-Length: -1\r\na:${header}\r\n\r\n`, 'latin1');
  answer(Object.assign(new Error('broken'), { code: 'HPE_INVALID_CONTENT_LENGTH', rawPacket }), socket);
}

const READERS: readonly { name: string; work: (text: string) => void }[] = [
  { name: 'a header of a broken request', work: breaks },
  { name: 'the request target', work: (text) => targetOf(head({ target: `/?${text}` })) },
  { name: 'an absolute request target', work: (text) => targetOf(head({ target: `http://${text}` })) },
  { name: 'a leaked key', work: leakedKeys },
  {
    name: 'a bearer token',
    work: (text) => bearerToken(head({ headers: { authorization: `Bearer ${text}` } })),
  },
  {
    name: 'the address of the caller',
    work: (text) => clientAddress(head({ headers: { forwarded: text, 'x-forwarded-for': text } }), isTrusted),
  },
  {
    name: 'the parameters of a query',
    work: (text) => routeArguments({ path: {}, query: new URLSearchParams(text), body: {} }, 'query', {}),
  },
];

describe('reading a request takes time in proportion to its length', () => {
  it.each(READERS)('$name', ({ work }) => {
    const slow = shapes(PARTS).flatMap(({ name, shape }) => {
      const why = superlinear(work, shape, 2000);
      return why === undefined ? [] : [`${name}: ${why}`];
    });
    expect(slow).toEqual([]);
  });

  it('for the parameters of a query, however many names there are', () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => `a${n}`).join('&');
    const work = (text: string) =>
      routeArguments({ path: {}, query: new URLSearchParams(text), body: {} }, 'query', {});
    expect(superlinear(work, names, 2000)).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { createClientDocuments } from '../../../core/keys/client-documents.ts';
import type { PublishedDocument } from '../../../core/ports/document-source.ts';

/** Documents that arrive when the test says so. */
function open() {
  const waiting = new Map<string, (document: PublishedDocument | undefined) => void>();
  const documentOf = createClientDocuments(
    {
      fetch: ({ url }) => new Promise((resolve) => waiting.set(url, resolve)),
      close: async () => {},
    },
    { now: () => new Date('2026-11-24T12:00:00Z') },
  );
  const url = (host: string, path = 'client') => `https://${host}/${path}.json`;
  return {
    url,
    documentOf,
    asked: () => [...waiting.keys()],
    async arrive(at: string) {
      const document = { client_id: at, client_name: 'A', redirect_uris: [new URL('/back', at).href] };
      waiting.get(at)?.({ body: Buffer.from(JSON.stringify(document)), cacheControl: null });
      waiting.delete(at);
      await Promise.resolve();
    },
  };
}

const BUSY = { kind: 'refused', error: 'temporarily_unavailable' };

describe('documents of clients', () => {
  it('of one slow host hold up only that host', async () => {
    const { documentOf, url, asked, arrive } = open();
    const slow = ['a', 'b'].map((path, n) => documentOf(url('slow.example', path), `192.0.2.${n}`));
    expect(await documentOf(url('slow.example', 'c'), '192.0.2.9')).toMatchObject(BUSY);
    const other = documentOf(url('other.example'), '192.0.2.9');
    expect(asked()).toHaveLength(3);
    await arrive(url('other.example'));
    expect(await other).toMatchObject({ documentHost: 'other.example' });
    await arrive(url('slow.example', 'a'));
    expect(await slow[0]).toMatchObject({ documentHost: 'slow.example' });
    void documentOf(url('slow.example', 'c'), '192.0.2.9');
    expect(asked()).toEqual([url('slow.example', 'b'), url('slow.example', 'c')]);
  });

  it('that one caller wants hold up only that caller', async () => {
    const { documentOf, url, asked } = open();
    for (const host of ['a.example', 'b.example']) void documentOf(url(host), '2001:db8::1');
    // The same network.
    expect(await documentOf(url('c.example'), '2001:db8::2')).toMatchObject(BUSY);
    void documentOf(url('c.example'), '2001:db8:1::2');
    expect(asked()).toHaveLength(3);
  });

  it('are fetched once for all who want the same one at the same time', async () => {
    const { documentOf, url, asked, arrive } = open();
    const many = Array.from({ length: 9 }, () => documentOf(url('a.example'), '192.0.2.1'));
    expect(asked()).toHaveLength(1);
    await arrive(url('a.example'));
    for (const one of many) expect(await one).toMatchObject({ documentHost: 'a.example' });
  });

  it('are bounded in all', async () => {
    const { documentOf, url, asked } = open();
    for (let n = 0; n < 32; n++) void documentOf(url(`h${n}.example`), `192.0.2.${n}`);
    expect(await documentOf(url('one-more.example'), '192.0.2.200')).toMatchObject(BUSY);
    expect(asked()).toHaveLength(32);
  });
});

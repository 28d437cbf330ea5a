import { Readable } from 'node:stream';
import type { RequestHead } from '../http/request-head.ts';
import type { DownloadReply } from './visit.ts';

/**
 * A file that the browser saves and never shows as a page. It is written while it is read; a HEAD gets the headers alone.
 * @throws the error of the first chunk, so that the answer is a page that says so
 */
export async function download(
  { method }: RequestHead,
  file: { readonly name: string; readonly type: string },
  chunks: AsyncIterable<string | Uint8Array>,
): Promise<DownloadReply> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  const headers = { 'content-type': file.type, 'content-disposition': `attachment; filename="${file.name}"` };
  if (method === 'HEAD') {
    await iterator.return?.();
    return { kind: 'download', headers, content: Readable.from([]) };
  }
  const rest = { [Symbol.asyncIterator]: () => iterator };
  return {
    kind: 'download',
    headers,
    content: Readable.from(first.done ? [] : startingWith(first.value, rest)),
  };
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

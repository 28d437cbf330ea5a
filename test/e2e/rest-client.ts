import * as z from 'zod';
import { undescribed } from '../hosts/rest/described-answer.ts';

/** A program with a key that uses fetch. */
export interface RestClient {
  get(path: string): Promise<RestAnswer>;
  post(path: string, body?: unknown): Promise<RestAnswer>;
  /** Any other method. Without a body if there is none. */
  send(method: string, path: string, body?: unknown): Promise<RestAnswer>;
  /** The newest message of a list: of the inbox, unless the query says otherwise. */
  newest(query?: Readonly<Record<string, string>>): Promise<z.infer<typeof row>>;
}

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const row = z.object({ id: z.string(), from: z.string(), subject: z.string(), date: z.string() });
const list = z.object({ result: z.object({ messages: z.tuple([row], row) }) });

export function restClient(baseUrl: string, apiKey: string): RestClient {
  const authorization = `Bearer ${apiKey}`;
  async function answerTo(path: string, init: RequestInit): Promise<RestAnswer> {
    const answer = await fetch(`${baseUrl}${path}`, init);
    const { status, headers } = answer;
    const text = await answer.text();
    const seen = {
      method: init.method ?? 'GET',
      target: path,
      status,
      headers: { ...Object.fromEntries(headers), ...locationBelow(new URL(baseUrl).pathname, headers) },
      text,
    };
    const wrong = undescribed(seen);
    if (wrong.length > 0) throw new Error(`not as openapi.json says:\n${wrong.join('\n')}`);
    return { status, headers, body: JSON.parse(text) as unknown };
  }
  const send: RestClient['send'] = (method, path, body) =>
    answerTo(path, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const get = (path: string) => send('GET', path);
  return {
    get,
    send,
    post: (path, body = {}) => send('POST', path, body),
    async newest(query = {}) {
      const { body } = await get(`/v1/messages?${new URLSearchParams({ ...query, limit: '1' }).toString()}`);
      return list.parse(body).result.messages[0];
    },
  };
}

/** The Location as the API without a path would write it. */
function locationBelow(base: string, headers: Headers): { location?: string } {
  const location = headers.get('location');
  return base !== '/' && location?.startsWith(`${base}/`) ? { location: location.slice(base.length) } : {};
}

const pending = z.object({ approval: z.object({ id: z.string(), state: z.literal('pending') }) });

/** The id of the approval that a 202 names. */
export function filedIn({ status, body }: Pick<RestAnswer, 'status' | 'body'>): string {
  if (status !== 202) throw new Error(`it does not wait: ${status} ${JSON.stringify(body)}`);
  return pending.parse(body).approval.id;
}

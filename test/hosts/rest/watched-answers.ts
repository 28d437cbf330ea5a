import type { IncomingMessage, ServerResponse } from 'node:http';
import { undescribed } from './described-answer.ts';

/** Watches what a server answers. */
export interface WatchedAnswers {
  /** Records the answer to a request. Call it before the handler. */
  watch(req: IncomingMessage, res: ServerResponse): void;
  /** @throws Error when an answer was not as the description says */
  verify(): void;
}

export function watchedAnswers(): WatchedAnswers {
  const wrong = new Set<string>();
  return {
    watch(req, res) {
      const end = res.end.bind(res);
      const target = req.url ?? '/';
      const whole = /^https?:/.test(target) ? new URL(target).pathname : target;
      res.end = (body?: unknown, ...rest: unknown[]) => {
        if (typeof body === 'string') {
          const seen = {
            method: req.method ?? '',
            target: whole,
            status: res.statusCode,
            headers: sentHeaders(res),
          };
          for (const what of undescribed({ ...seen, text: body })) wrong.add(what);
        }
        return Reflect.apply(end, res, [body, ...rest]);
      };
    },
    verify() {
      if (wrong.size > 0) throw new Error(`not as openapi.json says:\n${[...wrong].join('\n')}`);
    },
  };
}

/** What `writeHead` was given is not in `getHeaders`: it is read from the head as it is written. */
function sentHeaders(res: ServerResponse): Record<string, string> {
  const head = '_header' in res && typeof res._header === 'string' ? res._header : '';
  return Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .flatMap((line) => {
        const [, name, value] = /^([^:]+): (.*)$/.exec(line) ?? [];
        return name === undefined ? [] : [[name.toLowerCase(), value ?? '']];
      }),
  );
}

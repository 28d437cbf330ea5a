import { EventEmitter, once } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { sendTo, startScriptedSmtp } from './scripted-smtp.ts';

const A_MINUTE_MS = 60_000;

it.each(['EHLO', 'STARTTLS', 'AUTH'])(
  'a server that never answers %s is waited for a minute',
  async (unanswered) => {
    const lines = new EventEmitter();
    const asked = once(lines, unanswered);
    const offer = unanswered === 'STARTTLS' ? 'STARTTLS' : 'AUTH PLAIN';
    const port = await startScriptedSmtp(() => (line) => {
      if (line.startsWith(unanswered)) lines.emit(unanswered);
      else return line.startsWith('EHLO') ? `250-test\r\n250 ${offer}\r\n` : '250 ok\r\n';
      return undefined;
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const start = vi.fn(async () => true);
    const failed = expect(sendTo(port, 'starttls', start)).rejects.toMatchObject({ code: 'unavailable' });
    await asked;
    await vi.advanceTimersByTimeAsync(A_MINUTE_MS);
    await failed;
    expect(start).not.toHaveBeenCalled();
  },
);

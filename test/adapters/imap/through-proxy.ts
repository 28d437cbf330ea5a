import { onTestFinished } from 'vitest';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Dovecot } from '../../servers/dovecot.ts';
import { type Disguise, type MailProxy, startProxy } from '../../servers/proxy.ts';
import { callOn } from './mailbox-on.ts';

/** Puts a proxy in front of the server. It stops with the test. */
export async function proxyBefore({ port }: Dovecot, disguise: Disguise = {}): Promise<MailProxy> {
  const proxy = await startProxy('imap', port, disguise);
  onTestFinished(() => proxy.stop());
  return proxy;
}

/** Returns a call for the mailbox of a user, through such a proxy. */
export async function callThrough(dovecot: Dovecot, user: string, disguise: Disguise): Promise<MailCall> {
  return callOn((await proxyBefore(dovecot, disguise)).port, user);
}

/** Whether a FETCH asks for the message whose UID and sequence number are both `number`. */
export function asksFor(line: string, number: number): boolean {
  const [, set = ''] = / FETCH ([\d:,*]+) /.exec(line) ?? [];
  return set.split(',').some((range) => {
    const [first = '', last = first] = range.split(':');
    return Number(first) <= number && (last === '*' || Number(last) >= number);
  });
}

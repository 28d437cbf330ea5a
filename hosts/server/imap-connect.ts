import type { AllowPrivateServers } from '../../adapters/remote/connect.ts';
import { checkOptions } from '../../core/contract/options.ts';
import type { Reader } from '../../core/ports/reader.ts';
import type { Connect } from '../dashboard/visit.ts';
import { discover } from './accounts/discovery.ts';
import { fieldsOf, mailSettings, withCalendar, withPassword } from './accounts/mail-settings.ts';
import { probeServers } from './accounts/probe-servers.ts';

export interface ImapConnectOptions {
  /** Reads what a domain publishes about its servers: the reader of the service. */
  readonly reader: Reader;
  /**
   * As for `imapMail`. With it, servers are checked before the owner enters the password. Without it, the owner cannot
   * choose to trust a certificate.
   */
  readonly allowPrivateServers?: AllowPrivateServers;
  /** As for `imapMail`. */
  readonly ehloName?: string | undefined;
}

/**
 * The owner connects an account of the IMAP and CalDAV adapters: Countersign finds its servers through this machine's
 * DNS, or the owner enters them.
 */
export function imapConnect(options: ImapConnectOptions): Connect {
  checkOptions('imapConnect', options, {
    reader: ['required', 'object'],
    allowPrivateServers: ['optional', 'boolean', 'function'],
    ehloName: ['optional', 'string'],
  });
  const { reader, allowPrivateServers, ehloName } = options;
  return {
    settings: mailSettings,
    withCalendar,
    withPassword,
    fieldsOf,
    discover: (email) => discover(email, reader),
    ...(allowPrivateServers === undefined
      ? {}
      : { probe: (servers) => probeServers(servers, { allowPrivateServers, ehloName }) }),
  };
}

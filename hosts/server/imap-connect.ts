import type { Connect } from '../dashboard/visit.ts';
import { discover } from './discovery.ts';
import { mailSettings, withPassword } from './mail-settings.ts';

/**
 * The owner connects an account of the IMAP and CalDAV adapters: Countersign finds its servers through this machine's
 * DNS, or the owner enters them.
 */
export function imapConnect(): Connect {
  return { settings: mailSettings, withPassword, discover };
}

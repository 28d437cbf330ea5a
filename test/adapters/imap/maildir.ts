import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Dovecot } from '../../servers/dovecot.ts';

/** A message as a file. */
export interface StoredFile {
  readonly folder: string;
  readonly subject: string;
  readonly seen: boolean;
  readonly flagged: boolean;
  /** Marked as \Deleted. */
  readonly deleted: boolean;
}

/** Reads the files of a user's mailbox: another client, which has nothing in common with ours. */
export function storedFiles({ folder }: Dovecot, user: string): StoredFile[] {
  const maildir = `${folder}/mail/${user}/Maildir`;
  const subfolders = readdirSync(maildir).filter((name) => name.startsWith('.'));
  return ['', ...subfolders].flatMap((name) =>
    ['cur', 'new']
      .map((part) => `${maildir}/${name}/${part}`)
      .filter((path) => existsSync(path))
      .flatMap((path) =>
        readdirSync(path).map((file) => {
          const [, flags = ''] = /:2,(\w*)$/.exec(file) ?? [];
          const [, subject = ''] = /^Subject: (.*?)\r?$/m.exec(readFileSync(`${path}/${file}`, 'utf8')) ?? [];
          return {
            folder: name === '' ? 'INBOX' : name.slice(1).replaceAll('.', '/'),
            subject,
            seen: flags.includes('S'),
            flagged: flags.includes('F'),
            deleted: flags.includes('T'),
          };
        }),
      ),
  );
}

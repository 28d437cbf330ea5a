import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { couldPassForOwn, isReservedLabel, isReservedPath } from '../../../core/folders/guarded-paths.ts';
import { resembledRoles, roleByName } from '../../../core/folders/named-role.ts';
import { ROLE_NAMES } from '../../../core/folders/role-names.ts';
import { type FolderRoles, PINNED_ROLES } from '../../../core/folders/roles.ts';
import { anyCharacter } from '../../any-character.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';

const ODD: FolderRoles = {
  sent: { path: 'INBOX.Ausgang', by: 'owner' },
  drafts: { path: 'Pläne/Neu', by: 'owner' },
  spam: { path: null, by: 'absent' },
  trash: { path: '\u{1f5d1}', by: 'owner' },
  archive: { path: null, by: 'owner' },
};

/** Spellings of a name that a server, a mail program or a person may take for the plain one. */
const DISGUISES: Readonly<Record<string, (name: string) => string>> = {
  'as it is': (name) => name,
  'in capitals': (name) => name.toUpperCase(),
  decomposed: (name) => name.normalize('NFD'),
  'with white space around it': (name) => ` ${name}\u00a0\u3000`,
  'with an invisible character': (name) => `${name.slice(0, 1)}\u200b${name.slice(1)}\u2060`,
  'with a direction mark': (name) => `\u200f${name}\u202c`,
  'below the inbox': (name) => `INBOX.${name}`,
  'inside another folder': (name) => `Projects/${name}`,
  'with a folder inside': (name) => `${name}/2024`,
  'with a delimiter at its end': (name) => `${name}.`,
  'with a delimiter in front': (name) => `/${name}`,
  'with a Hangul filler': (name) => `${name}\u3164`,
  'as modified UTF-7': (name) =>
    `&${Buffer.from(name, 'utf16le').swap16().toString('base64').replaceAll('/', ',').replaceAll('=', '')}-`,
  'in punctuation': (name) => `-- ${name}! --`,
};

describe('a label', () => {
  it.each(Object.keys(DISGUISES))('that means a role in any language is reserved, %s', (disguise) => {
    const disguised = DISGUISES[disguise] ?? String;
    const free = PINNED_ROLES.flatMap((role) => ROLE_NAMES[role])
      .map(disguised)
      .filter((label) => !isReservedLabel(label, ODD, []));
    expect(free).toEqual([]);
  });

  it.each([
    'Elementos enviados',
    '\uff33\uff45\uff4e\uff54',
    '\u0405\u0435nt',
    'S\u0435nt M\u0430il',
    '\uff33ent\uff0f2024',
    'Pr\u043ejects|Sent',
    'sent-mail',
    '5ent',
    '\u{1f4e4} Sent',
    'E n v o y é s',
    'ENVOYES',
    '[Gmail]/Gesendet',
    '[Gmail]/Whatever',
    '[Google Mail]/Alle Nachrichten',
    'Inbox',
    '\u0399nbox',
    'Ausgang',
    'INBOX/Ausgang',
    'AUSGANG.2024',
    'Αusgang',
    'Plane/Neu',
    'PLÄNE.NEU',
    'pläne/neu/alt',
    '\u{1f5d1}',
    '\u{1f5d1}/x',
  ])('%s is reserved', (label) => {
    expect(isReservedLabel(label, ODD, ['/'])).toBe(true);
  });

  it.each([
    'Bills',
    'Pläne',
    'Neu',
    'Sent to clients',
    'Presents',
    'Projects/Atlas',
    '2024',
    'To pay: \u{1f4b6}',
    '🗑️ later',
  ])('%s is free', (label) => {
    expect(isReservedLabel(label, ODD, ['/'])).toBe(false);
  });

  it('can be checked, whatever characters it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 100 }), (label) => {
        expect(typeof isReservedLabel(label, ODD, ['/'])).toBe('boolean');
      }),
    );
    expect(isReservedLabel('/&'.repeat(50), ODD, ['/'])).toBe(false);
  });

  it('that names a role for mail programs also does so for people', () => {
    for (const role of PINNED_ROLES) {
      for (const name of ROLE_NAMES[role]) {
        expect(resembledRoles(name)).toContain(roleByName(name)?.role);
      }
    }
  });
});

describe('a folder that a label would be copied into', () => {
  it.each(['INBOX.Bills', 'INBOX/Bills', 'Bills', 'Bills.INBOXES'])('%s is allowed', (path) => {
    expect(isReservedPath(path, ODD)).toBe(false);
  });

  it.each(['INBOX', 'INBOX.Sent', 'INBOX.Ausgang', 'INBOX.INBOX.Sent', 'Gesendet', 'INBOX.\u0405ent'])(
    '%s is not allowed',
    (path) => {
      expect(isReservedPath(path, ODD)).toBe(true);
    },
  );
});

describe('a folder whose messages could pass for the owner’s', () => {
  const at = (path: string, specialUse: 'sent' | 'drafts' | 'archive' | null = null) => ({
    path,
    delimiter: '/',
    specialUse,
  });

  it.each([
    ['pinned', at('INBOX.Ausgang')],
    ['inside the pinned folder', at('INBOX.Ausgang/2024')],
    ['pinned as Drafts', at('Pläne/Neu')],
    ['marked as Sent by the server', at('X', 'sent')],
    ['marked as Drafts by the server', at('X', 'drafts')],
    ['named Sent in Spanish', at('Elementos enviados')],
    ['named Drafts in Russian', at('Черновики')],
    ['nested below Sent', at('A/B/Sent Mail/C')],
    ['written with look-alikes', at('\u0405\u0435nt')],
    ['a folder of Gmail’s', at('[Gmail]/Sent Mail', 'sent')],
  ])('%s', (_why, folder) => {
    expect(couldPassForOwn(folder, ODD)).toBe(true);
  });

  it.each([
    at('Archive'),
    at('Trash'),
    at('Projects'),
    at('INBOX'),
    at('[Gmail]/All Mail', 'archive'),
    at('Pläne'),
  ])('is not $path', (folder) => {
    expect(couldPassForOwn(folder, ODD)).toBe(false);
    expect(couldPassForOwn(folder, USUAL_ROLES)).toBe(false);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRoles } from '../../../core/folders/decide-roles.ts';
import type { MailFolder } from '../../../core/folders/folder.ts';
import { changedRoles, type FolderRoles, PINNED_ROLES, roleOf } from '../../../core/folders/roles.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';

function folder(path: string, specialUse: MailFolder['specialUse'] = null, delimiter = '/'): MailFolder {
  return { path, specialUse, delimiter };
}

const absent = { path: null, by: 'absent' } as const;

describe('the roles of an account', () => {
  it.each<[why: string, folders: MailFolder[], role: keyof FolderRoles, pin: FolderRoles['sent']]>([
    [
      "the server's attribute",
      [folder('Sent'), folder('X', 'sent')],
      'sent',
      { path: 'X', by: 'special_use' },
    ],
    [
      'a name in English',
      [folder('INBOX'), folder('Sent Items')],
      'sent',
      { path: 'Sent Items', by: 'name' },
    ],
    ['a name in another language', [folder('Gesendet')], 'sent', { path: 'Gesendet', by: 'name' }],
    ['a decorated name', [folder('Gesendete Objekte')], 'sent', { path: 'Gesendete Objekte', by: 'name' }],
    [
      'a common name over a rare one',
      [folder('Elementos enviados'), folder('Sent')],
      'sent',
      { path: 'Sent', by: 'name' },
    ],
    [
      'a top-level folder over a nested one',
      [folder('A/Sent'), folder('Enviados')],
      'sent',
      { path: 'Enviados', by: 'name' },
    ],
    ['a folder under INBOX', [folder('INBOX.Sent', null, '.')], 'sent', { path: 'INBOX.Sent', by: 'name' }],
    [
      'the exact name, if two share the attribute',
      [folder('A', 'sent'), folder('Sent', 'sent')],
      'sent',
      { path: 'Sent', by: 'special_use' },
    ],
    ['no role by name if the server says otherwise', [folder('Sent', 'archive')], 'sent', absent],
    ['no folder', [folder('INBOX'), folder('Projects')], 'archive', absent],
    ['no look-alike of a name', [folder('\u0405ent'), folder('S e n t')], 'sent', absent],
    ['no name with extra words', [folder('Sent to clients')], 'sent', absent],
    ['never the inbox, whatever its attribute', [folder('INBOX', 'sent')], 'sent', absent],
    ['spam', [folder('Junk E-mail')], 'spam', { path: 'Junk E-mail', by: 'name' }],
    ['trash', [folder('Papierkorb')], 'trash', { path: 'Papierkorb', by: 'name' }],
    [
      'drafts',
      [folder('Entwürfe'.normalize('NFD'))],
      'drafts',
      { path: 'Entwürfe'.normalize('NFD'), by: 'name' },
    ],
    [
      'archive',
      [folder('[Gmail]/All Mail', 'archive')],
      'archive',
      { path: '[Gmail]/All Mail', by: 'special_use' },
    ],
  ])('%s', (_why, folders, role, pin) => {
    expect(decideRoles(folders)[role]).toEqual(pin);
    expect(decideRoles(folders.toReversed())[role]).toEqual(pin);
  });

  it("point to existing folders, at most one role per folder, and the server's attribute wins", () => {
    const uses = fc.constantFrom(null, null, ...PINNED_ROLES);
    const names = fc.constantFrom(
      'INBOX',
      'Sent',
      'Enviados',
      'Trash',
      'Bin',
      'Junk',
      'Archive',
      'Drafts',
      'X',
      'Y',
    );
    const folders = fc.uniqueArray(
      fc.record({ path: names, delimiter: fc.constant('/'), specialUse: uses }),
      { selector: ({ path }) => path },
    );
    fc.assert(
      fc.property(folders, (listed) => {
        const roles = decideRoles(listed);
        const paths = PINNED_ROLES.flatMap((role) => roles[role].path ?? []);
        expect(new Set(paths).size).toBe(paths.length);
        for (const path of paths) expect(listed.map((one) => one.path)).toContain(path);
        for (const role of PINNED_ROLES) {
          const said = listed.filter(({ path, specialUse }) => specialUse === role && path !== 'INBOX');
          if (said.length > 0) expect(said.map(({ path }) => path)).toContain(roles[role].path);
        }
      }),
    );
  });
});

describe('pinned roles', () => {
  it('take a created folder only if no folder had the role', () => {
    const made = changedRoles(USUAL_ROLES, { type: 'made', role: 'archive', path: 'Archive' });
    expect(made).toEqual({ ...USUAL_ROLES, archive: { path: 'Archive', by: 'made' } });
    expect(changedRoles(made, { type: 'made', role: 'archive', path: 'Later' })).toBe(made);
    expect(changedRoles(USUAL_ROLES, { type: 'made', role: 'sent', path: 'New' })).toBe(USUAL_ROLES);
    expect(changedRoles(USUAL_ROLES, { type: 'made', role: 'archive', path: 'Trash' })).toBe(USUAL_ROLES);
  });

  it('belong to exact paths', () => {
    expect(roleOf('Sent', USUAL_ROLES)).toBe('sent');
    expect(roleOf('sent', USUAL_ROLES)).toBeNull();
    expect(roleOf('Sent/2024', USUAL_ROLES)).toBeNull();
  });
});

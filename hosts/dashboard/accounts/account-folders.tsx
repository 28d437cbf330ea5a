import type { AccountFolders } from '../../../core/accounts/accounts.ts';
import type { FolderChoice } from '../../../core/accounts/chosen-pins.ts';
import { ServiceError } from '../../../core/contract/errors.ts';
import type { MailFolder } from '../../../core/folders/folder.ts';
import {
  CREATED_NAMES,
  type FolderRoles,
  isCreatable,
  isInbox,
  PINNED_ROLES,
  type Pin,
  type PinnedRole,
} from '../../../core/folders/roles.ts';
import { MailError } from '../../../core/ports/mail.ts';
import { fieldErrors } from '../forms/field-errors.ts';
import { Choice, Form, Problems, SubmitOrLeave } from '../forms/forms.tsx';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { visibleText } from '../visible-text.ts';
import { type OwnerVisit, type PageReply, page, type Reply, redirect } from '../visit.ts';

// Which folders of an account are Sent, Drafts and so on. Shown here, and changed nowhere else.

const ROLE_TITLES: Readonly<Record<PinnedRole, string>> = {
  sent: 'Sent',
  drafts: 'Drafts',
  spam: 'Spam',
  trash: 'Trash',
  archive: 'Archive',
};

export async function accountFoldersPage(
  visit: OwnerVisit,
  problems: readonly string[] = [],
): Promise<PageReply> {
  const { service, owner, token, param } = visit;
  const found = await service.accounts.folders(owner.ownerId, Number(param)).catch(undefinedIfNotFound);
  if (found === undefined) return notFoundPage();
  const { account, roles, folders } = found;
  return page(
    'Folders',
    <section class="narrow">
      <h1>Folders</h1>
      <p>
        What the folders of <Quoted text={account.email} /> are for. Keys follow these roles and cannot change
        them. Sent shows whom you have written to before, so pick a folder that only you and your mail
        programs put messages into.
      </p>
      <Problems problems={problems} />
      {folders === undefined || roles === null ? <Unreachable roles={roles} /> : null}
      {folders !== undefined && roles !== null ? (
        <Form action={`/accounts/${account.accountId}/folders`} token={token} label="Folders">
          {PINNED_ROLES.map((role) => (
            <RoleChoice role={role} pin={roles[role]} folders={folders} />
          ))}
          <SubmitOrLeave submit="Save" leave="Back" to="/accounts" />
        </Form>
      ) : null}
    </section>,
    problems.length === 0 ? 200 : 422,
  );
}

export async function chooseFolders(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param, fields } = visit;
  const choices: Partial<Record<PinnedRole, FolderChoice>> = {};
  for (const role of PINNED_ROLES) {
    const choice = choiceOf(fields.get(role) ?? '');
    if (choice !== undefined) choices[role] = choice;
  }
  try {
    await service.accounts.chooseFolders(owner.ownerId, Number(param), choices);
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === undefined) throw error;
    return accountFoldersPage(visit, problems);
  }
  return redirect('/accounts?notice=folders_saved');
}

/** The pinned roles in one line. */
export function pinnedInWords(roles: FolderRoles): string {
  return PINNED_ROLES.map((role) => {
    const { path } = roles[role];
    return `${ROLE_TITLES[role]}: ${path === null ? 'none' : visibleText(path)}`;
  }).join(' · ');
}

const FOLDER = 'folder:';

function choiceOf(value: string): FolderChoice | undefined {
  if (value === 'made' || value === 'none') return value;
  return value.startsWith(FOLDER) ? { path: value.slice(FOLDER.length) } : undefined;
}

function RoleChoice(props: { role: PinnedRole; pin: Pin; folders: readonly MailFolder[] }) {
  const { role, pin, folders } = props;
  const paths = folders.map(({ path }) => path).filter((path) => !isInbox(path));
  const isGone = pin.path !== null && !paths.includes(pin.path);
  const options: (readonly [string, string])[] = [
    ...(isGone ? [[`${FOLDER}${pin.path}`, `${visibleText(pin.path)} (gone)`] as const] : []),
    ...paths.map((path) => [`${FOLDER}${path}`, visibleText(path)] as const),
    ...(isCreatable(role) ? [['made', `Create “${CREATED_NAMES[role]}” when needed`] as const] : []),
    ['none', 'None'],
  ];
  return (
    <>
      <Choice
        id={role}
        label={ROLE_TITLES[role]}
        name={role}
        options={options}
        value={chosenValue(pin, role)}
      />
      <p class="quiet">
        {reasonOf(pin, role)}
        <Hints role={role} pin={pin} isGone={isGone} folders={folders} />
      </p>
    </>
  );
}

function Hints(props: { role: PinnedRole; pin: Pin; isGone: boolean; folders: readonly MailFolder[] }) {
  const { role, pin, isGone, folders } = props;
  const said = folders.filter(({ path, specialUse }) => specialUse === role && path !== pin.path);
  return (
    <>
      {isGone ? <strong> This folder is gone.</strong> : null}
      {isGone && role === 'sent'
        ? ' Until it is back or you pick another, Countersign cannot tell whom you have written to.'
        : null}
      {said.map(({ path }) => (
        <>
          {' '}
          The server says that <Quoted text={path} /> is for this.
        </>
      ))}
    </>
  );
}

function chosenValue(pin: Pin, role: PinnedRole): string {
  if (pin.path !== null) return `${FOLDER}${pin.path}`;
  return pin.by === 'absent' && isCreatable(role) ? 'made' : 'none';
}

function reasonOf({ path, by }: Pin, role: PinnedRole): string {
  switch (by) {
    case 'special_use':
      return 'The server says so.';
    case 'name':
      return 'Recognised by its name.';
    case 'made':
      return 'Countersign created it.';
    case 'owner':
      return path === null ? 'You chose none.' : 'You chose it.';
    case 'absent':
      return isCreatable(role)
        ? 'No folder was found for this. Countersign creates one when needed.'
        : 'No folder was found for this.';
  }
}

/** Without the server's folders there is nothing to pick, so there is no form. */
function Unreachable({ roles }: { roles: AccountFolders['roles'] }) {
  return (
    <>
      <Problems problems={['The mail server could not list the folders. Try again later.']} />
      {roles === null ? null : (
        <dl class="facts">
          {PINNED_ROLES.map((role) => (
            <div>
              <dt>{ROLE_TITLES[role]}</dt>
              <dd>
                {roles[role].path === null ? 'None.' : <Quoted text={roles[role].path ?? ''} />}{' '}
                {reasonOf(roles[role], role)}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof ServiceError && error.code === 'not_found') return undefined;
  throw error;
}

/** Undefined if the error is not about the choices. */
function problemsOf(error: unknown): readonly string[] | undefined {
  if (error instanceof MailError) {
    return ['The mail server could not list the folders, so nothing was saved. Try again later.'];
  }
  if (!(error instanceof ServiceError) || error.code !== 'invalid_arguments') return undefined;
  return fieldErrors.parse(error.details).errors.map(textOf);
}

function textOf({ field, message }: { field: string; message: string }): string {
  const role = PINNED_ROLES.find((one) => one === field);
  return `${role === undefined ? field : ROLE_TITLES[role]}: the folder ${message}.`;
}

import type { AccountIndex } from '../../../core/mail-index/mail-indexes.ts';
import { Form, Problems } from '../forms/forms.tsx';
import { Link } from '../links.tsx';
import { numberText } from '../number-text.ts';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, type PageReply, page, type Reply, redirect } from '../visit.ts';
import { accountNamed } from './account-name.tsx';

// The index beside the mailbox of an account: how much there is, and whether there is one.

export async function accountIndexPage(
  visit: OwnerVisit,
  problems: readonly string[] = [],
): Promise<PageReply> {
  const { service, owner, token, param } = visit;
  const account = await accountNamed(service, owner, param);
  if (account === undefined || !service.mailIndexes.isThere) return notFoundPage();
  const path = `/accounts/${account.accountId}/index`;
  const index = await service.mailIndexes.stateOf(account);
  return page(
    'Index',
    <section class="narrow">
      <h1>Index</h1>
      <p>
        So that searches in <Quoted text={account.email} /> take milliseconds, Countersign keeps what its
        messages say, without attachments: sealed, in a file beside the database. Without it, the mail server
        is asked.
      </p>
      <Problems problems={problems} />
      <p id="indexed">{indexInWords(index)}</p>
      <div class="actions">
        <Form action={path} token={token}>
          <button type="submit" class="outline">
            {index.isOn ? 'Build again' : 'Turn on'}
          </button>
        </Form>
        {index.isOn || isLeft(index) ? (
          <Form action={`${path}/off`} token={token}>
            <button type="submit" class="outline secondary">
              {index.isOn ? 'Turn off and erase' : 'Erase'}
            </button>
          </Form>
        ) : null}
        <Link class="button-like" to="/accounts">
          Back
        </Link>
      </div>
    </section>,
    problems.length === 0 ? 200 : 422,
  );
}

/** What is indexed of an account, in a line. */
export function indexInWords(index: AccountIndex): string {
  const { isOn, indexed } = index;
  if (indexed === undefined)
    return isOn
      ? 'Index: cannot be read; the mail server is asked.'
      : 'Index: off. Whether all of it is erased cannot be read.';
  if (!isOn) return isLeft(index) ? 'Index: off, but not all of it is erased.' : 'Index: off.';
  const { messages, bytes, filling } = indexed;
  const size = `${numberText(messages)} ${messages === 1 ? 'message' : 'messages'}, ${sizeText(bytes)}`;
  switch (filling) {
    case 'under_way':
      return `Index: ${size}. It is being filled, from the newest message on.`;
    case 'tomorrow':
      return `Index: ${size}. It goes on tomorrow: a day takes 500 MB of mail at most.`;
    case 'idle':
      return messages === 0 ? 'Index: empty. The next search begins to fill it.' : `Index: ${size}.`;
  }
}

function isLeft({ indexed }: AccountIndex): boolean {
  return (indexed?.messages ?? 0) > 0;
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? 'less than 1 MB' : `${numberText(Math.round(bytes / 1e6))} MB`;
}

export async function buildIndex(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param } = visit;
  if (!service.mailIndexes.isThere) return notFoundPage();
  const done = await service.mailIndexes.buildAgain(owner.ownerId, Number(param));
  if (done === 'failed') return accountIndexPage(visit, ['The index could not be opened. Try again later.']);
  return redirect(`/accounts/${param}/index`);
}

export async function turnIndexOff(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param } = visit;
  if (!service.mailIndexes.isThere) return notFoundPage();
  const done = await service.mailIndexes.turnOff(owner.ownerId, Number(param));
  if (done === 'failed')
    return accountIndexPage(visit, [
      'It is turned off, but what it has could not be erased. Try again later.',
    ]);
  return redirect('/accounts?notice=index_off');
}

import type { Account } from '../../../core/ports/account.ts';
import {
  needsOwner,
  SERVER_ROLES,
  type ServerHealth,
  type ServerRole,
} from '../../../core/ports/account-health.ts';
import { Link } from '../links.tsx';
import { Quoted } from '../third-party-text.tsx';
import type { OwnerVisit } from '../visit.ts';
import { When } from '../when.tsx';

const SERVER_TITLES: Readonly<Record<ServerRole, string>> = {
  reading: 'Reading mail',
  sending: 'Sending mail',
  calendar: 'Calendar',
};

/** How each server of an account is doing. */
export function AccountHealth({ servers, zone }: { servers: readonly ServerHealth[]; zone: string }) {
  const shown = SERVER_ROLES.flatMap((server) => servers.find((one) => one.server === server) ?? []);
  if (shown.length === 0) return <p class="quiet">Its servers have not been used since this was recorded.</p>;
  return (
    <dl class="facts health">
      {shown.map((one) => (
        <div>
          <dt>{SERVER_TITLES[one.server]}</dt>
          <dd>
            <span class="state" data-state={one.state === 'working' ? 'on' : 'failed'}>
              {one.state === 'working'
                ? 'Works'
                : one.state === 'no_calendar'
                  ? 'No calendar'
                  : 'Does not work'}
            </span>{' '}
            <ServerText server={one} zone={zone} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ServerText({
  server: { state, reason, since, workedAt },
  zone,
}: {
  server: ServerHealth;
  zone: string;
}) {
  const worked =
    workedAt === null ? null : (
      <span class="quiet">
        last worked <When at={workedAt} zone={zone} />
      </span>
    );
  if (state === 'working') return worked;
  if (state === 'no_calendar') return sentence(reason ?? '');
  return (
    <>
      {sentence(reason ?? '')}{' '}
      <span class="quiet">
        Since <When at={since} zone={zone} />.{' '}
        {workedAt === null ? (
          'It has not worked since the account was connected.'
        ) : (
          <>
            It last worked <When at={workedAt} zone={zone} />.
          </>
        )}
      </span>
    </>
  );
}

/** Why a server does not work, as a sentence. */
function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

/** Whether something is wrong with the account that only the owner can mend. */
export function isForOwner(servers: readonly ServerHealth[]): boolean {
  return servers.some(({ state }) => needsOwner(state));
}

/** A line for each account that the owner has to mend. Renders nothing if there is none. */
export async function accountsToMend({ service, owner }: OwnerVisit) {
  const health = await service.accounts.health(owner.ownerId);
  const broken = health.filter(({ state }) => needsOwner(state));
  if (broken.length === 0) return null;
  // The owner sees it here, so no notice has to say it.
  await service.notices.looked(owner.ownerId);
  const accounts = await service.accounts.list(owner.ownerId);
  return (
    <>
      {accounts.map((account) => (
        <ToMend account={account} server={broken.find(({ accountId }) => accountId === account.accountId)} />
      ))}
    </>
  );
}

function ToMend({ account, server }: { account: Account; server: ServerHealth | undefined }) {
  if (server === undefined) return null;
  return (
    <p class="note to-mend">
      <Quoted text={account.email} /> does not work: {sentence(server.reason ?? '')}{' '}
      <Link to="/accounts">Mend it under Accounts</Link>. What waits for it goes on by itself.
    </p>
  );
}

import type { ComponentChildren } from 'preact';
import type { PublicBase } from '../../http/public-base.ts';
import { Base, Link } from '../links.tsx';
import { DATA, ID } from '../page-protocol.ts';
import { notFoundPage } from '../problem.tsx';
import { type OwnerVisit, page, type Reply } from '../visit.ts';
import { When } from '../when.tsx';

/** Until the first call: the page without the script is loaded again after this time. */
const REFRESH_S = 3;

/** Whether a key has been used. @param props  `at`: its last call; null: none yet */
export function FirstCall({ at, zone }: { at: Date | null; zone: string }) {
  return (
    <p
      id={ID.firstCall}
      class="first-call"
      role="status"
      {...{ [DATA.state]: at === null ? 'waiting' : 'on' }}
    >
      {at === null ? (
        'Waiting for the first call with this key…'
      ) : (
        <>
          It works. The agent called, last on <When at={at} zone={zone} />.
        </>
      )}
    </p>
  );
}

/** Waits for the first call, on a page without a URL of its own. The script keeps it up to date. */
export function AwaitedCall({ keyId, zone }: { keyId: string; zone: string }) {
  const path = pathOf(keyId);
  return (
    <LivePart from={path}>
      <FirstCall at={null} zone={zone} />
      <noscript>
        <p>
          <Link to={path}>See whether it has come</Link>
        </p>
      </noscript>
    </LivePart>
  );
}

/** The page's script replaces the state in it with that of the other page. */
function LivePart({ from, children }: { from: string; children: ComponentChildren }) {
  return (
    <Base.Consumer>
      {(base: PublicBase) => <div {...{ [DATA.liveFrom]: base.path(from) }}>{children}</div>}
    </Base.Consumer>
  );
}

function pathOf(keyId: string): string {
  return `/integrations/${keyId}/first-call`;
}

export async function firstCallPage({ service, owner, param }: OwnerVisit): Promise<Reply> {
  const use = (await service.keys.use(owner.ownerId)).get(param);
  if (use === undefined) return notFoundPage();
  const shown = page(
    'First call',
    <section class="narrow">
      <h1>First call</h1>
      <FirstCall at={use.lastCallAt} zone={owner.timezone} />
      <p>
        <Link to="/integrations">Go to the integrations</Link>
      </p>
    </section>,
  );
  return use.lastCallAt === null ? { ...shown, refreshS: REFRESH_S } : shown;
}

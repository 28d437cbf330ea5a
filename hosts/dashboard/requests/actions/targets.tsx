import type { ActingAccount, MessageTarget } from '../../../../core/actions/message-target.ts';
import { Quoted } from '../../third-party-text.tsx';
import { When } from '../../when.tsx';

/** The messages that a request is about. Renders nothing if there are none. @param account null: of several accounts */
export function Targets(props: {
  targets: readonly MessageTarget[];
  account: ActingAccount | null;
  zone: string;
}) {
  const { targets, account, zone } = props;
  if (targets.length === 0) return null;
  return (
    <section aria-labelledby="targets-title">
      <h2 id="targets-title">
        {targets.length === 1 ? 'About this message' : `About these ${targets.length} messages`}
      </h2>
      <ul class="rows" id="targets">
        {targets.map((target) => (
          <li>
            <div>
              <Quoted text={target.subject} />
            </div>
            <div class="quiet">
              from <Quoted text={target.from} /> · <When at={target.date} zone={zone} /> · in{' '}
              <Quoted text={target.path} />
              {account === null ? ` of account ${target.account.accountId}` : null}
            </div>
            {target.preview === '' ? null : (
              <div class="quiet">
                <Quoted text={target.preview} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

import type { VNode } from 'preact';
import type { ActionEffect } from '../../../../core/actions/effect.ts';
import { ExactText, Name, Quoted, UnseenNote } from '../../third-party-text.tsx';
import { Day, When } from '../../when.tsx';
import { Messages } from './messages-action.tsx';
import type { ActionParts, Showing } from './showing.ts';
import { Targets } from './targets.tsx';

/** A change of Countersign's own trackers. */

type TrackerEffect = Exclude<ActionEffect, { kind: 'send' | 'event' | 'move' | 'label' | 'flag' }>;

export function trackerParts({ shown, zone }: Showing, effect: TrackerEffect): ActionParts {
  const { targets, account } = shown;
  const said = (sentence: VNode, body: VNode | null = null): ActionParts => ({ sentence, body, facts: null });
  switch (effect.kind) {
    case 'create_tracker':
      return said(
        <>
          Create the tracker <Name text={effect.title} />
          {effect.dueOn === null ? null : (
            <>
              , due <Day on={effect.dueOn} />
            </>
          )}
        </>,
        effect.keywords === '' ? null : (
          <p id="keywords">
            New mail that contains one of these words is linked to it: <Quoted text={effect.keywords} />
          </p>
        ),
      );
    case 'tracker_status':
      return said(
        effect.to === 'resolved' ? (
          <>
            Resolve the tracker <Name text={effect.tracker} />, which is {effect.from} now
          </>
        ) : (
          <>
            Change the tracker <Name text={effect.tracker} /> from {effect.from} to <b>{effect.to}</b>
          </>
        ),
      );
    case 'tracker_note':
      return said(
        <>
          Add a note to the tracker <Name text={effect.tracker} />
        </>,
        <>
          <UnseenNote text={effect.note} />
          <ExactText id="note-text" text={effect.note} />
        </>,
      );
    case 'tracker_message':
      return said(
        <>
          Link <Messages targets={targets} /> to the tracker <Name text={effect.tracker} />
        </>,
        <Targets targets={targets} account={account} zone={zone} />,
      );
    case 'tracker_event':
      return said(
        <>
          Link the event <Name text={effect.title} />, <When at={effect.start} zone={zone} />, to the tracker{' '}
          <Name text={effect.tracker} />
        </>,
      );
  }
}

import type { VNode } from 'preact';
import type { ActionEffect } from '../../../../core/actions/effect.ts';
import type { MessageTarget } from '../../../../core/actions/message-target.ts';
import { domainOf } from '../../../../core/safety/domain-of.ts';
import { Name } from '../../third-party-text.tsx';
import type { ActionParts, Showing } from './showing.ts';
import { Targets } from './targets.tsx';

/** Messages that are moved, labelled or marked. */

type MessagesEffect = Extract<ActionEffect, { kind: 'move' | 'label' | 'flag' }>;

export function messagesParts({ shown, zone }: Showing, effect: MessagesEffect): ActionParts {
  const { targets, account } = shown;
  return {
    sentence: sentenceOf(effect, <Messages targets={targets} />),
    body: <Targets targets={targets} account={account} zone={zone} />,
    facts: null,
  };
}

function sentenceOf(effect: MessagesEffect, messages: VNode): VNode {
  switch (effect.kind) {
    case 'move':
      return (
        <>
          {effect.word === 'archive' ? 'Archive' : 'Move'} {messages}
          {effect.word === 'delete' ? ' to the trash' : null}
          <Folders effect={effect} />
        </>
      );
    case 'label':
      return (
        <>
          Label {messages} as <Name text={effect.label} />
        </>
      );
    case 'flag':
      return effect.state === 'flagged' ? (
        <>Star {messages}</>
      ) : (
        <>
          Mark {messages} as {effect.state}
        </>
      );
  }
}

/** Archive and trash need no name, except that of a folder that is new. */
function Folders({ effect: { word, folders } }: { effect: Extract<ActionEffect, { kind: 'move' }> }) {
  const named = word === 'move' ? folders : folders.filter(({ isNew }) => isNew);
  return (
    <>
      {named.map(({ path, isNew }, index) => (
        <>
          {index > 0 ? ' and ' : word === 'move' ? ' to ' : ', '}
          {isNew ? 'the new folder ' : 'the folder '}
          <Name text={path} />
        </>
      ))}
    </>
  );
}

/** `3 messages from bank.example` */
export function Messages({ targets }: { targets: readonly MessageTarget[] }) {
  const [first] = targets;
  if (first === undefined) return null;
  if (targets.length === 1) {
    return (
      <>
        “<Name text={first.subject} />” from <Name text={first.from} />
      </>
    );
  }
  const senders = new Set(targets.map(({ from }) => from));
  const shared = sharedSender([...senders]);
  return (
    <>
      <b>{targets.length} messages</b> from{' '}
      {shared === null ? `${senders.size} senders` : <Name text={shared} />}
    </>
  );
}

/** The address of all senders, or else their domain. Null: they differ, or one of them is not plain. */
function sharedSender(senders: readonly string[]): string | null {
  const [address = null, ...others] = new Set(senders.map(addressIn));
  if (address === null || others.includes(null)) return null;
  if (others.length === 0) return address;
  const domain = domainOf(address);
  return others.every((other) => other !== null && domainOf(other) === domain) ? domain : null;
}

/** The address of a sender, as a message's row shows it. Null: there are several, or it was cut. */
function addressIn(sender: string): string | null {
  const [, address = null] =
    /^[^<>]*<([^<>\s]+@[^<>\s]+)>$/.exec(sender) ??
    /^([^<>\s,]+@[^<>\s,]+)(?: \(named .*\))?$/s.exec(sender) ??
    [];
  return address;
}

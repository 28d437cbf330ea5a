import type { ActionEffect } from '../../../../core/actions/effect.ts';
import { markedParts } from '../../marked-parts.ts';
import { numberText } from '../../number-text.ts';
import { ExactText, MarkedLine, Name, Quoted, UnseenNote } from '../../third-party-text.tsx';
import { Fact } from './fact.tsx';
import type { ActionParts, Showing, ShownContent } from './showing.ts';
import { Targets } from './targets.tsx';

/** A message that is sent: to whom, and what the agent wrote. */

type Message = NonNullable<ShownContent['message']>;
type SendEffect = Extract<ActionEffect, { kind: 'send' }>;

export function messageParts(showing: Showing, effect: SendEffect, message: Message): ActionParts {
  const { shown, findings, zone } = showing;
  const { envelope, says, ownChars } = message;
  const isFirst = findings.some(({ rule }) => rule === 'first_time_recipient');
  return {
    sentence: (
      <>
        {VERBS[effect.about ?? 'new']} <Names names={envelope.to} />
        {isFirst && envelope.to.length === 1 ? ', for the first time' : null}: “
        <MarkedLine text={says.subject} parts={markedParts(findings, 'subject')} />”
      </>
    ),
    body: (
      <>
        <UnseenNote text={says.text} />
        <ExactText
          id="message-text"
          text={says.text}
          parts={markedParts(findings, 'text')}
          ownChars={ownChars}
        />
        {effect.notSent === null ? null : (
          <p class="quiet" id="not-sent">
            <Quoted text={effect.notSent} />
          </p>
        )}
      </>
    ),
    facts: (
      <>
        <MessageFacts message={message} />
        <Targets targets={shown.targets} account={shown.account} zone={zone} />
      </>
    ),
  };
}

const VERBS = { new: 'Send to', answered: 'Reply to', forwarded: 'Forward to' } as const;

function Names({ names }: { names: readonly string[] }) {
  return (
    <>
      {names.map((name, index) => (
        <>
          {index === 0 ? null : ', '}
          <Name text={name} />
        </>
      ))}
    </>
  );
}

/** Whom it goes to, and what its headers say: sender and recipients only where they differ from the envelope. */
export function MessageFacts({ message: { envelope, says, sizeBytes } }: { message: Message }) {
  const { from, to, subject, inReplyTo, messageId } = says;
  return (
    <dl class="facts">
      <Fact name="Goes to" id="recipients">
        <ul>
          {envelope.to.map((address) => (
            <li>
              <Quoted text={address} />
            </li>
          ))}
        </ul>
      </Fact>
      <Fact name="From" id="message-from">
        <Quoted text={from.name === '' ? from.address : `${from.name} <${from.address}>`} />
      </Fact>
      {envelope.from === from.address ? null : (
        <Fact name="Sent as" id="envelope-from">
          <Quoted text={envelope.from} />
        </Fact>
      )}
      {envelope.to.join() === to.join() ? null : (
        <Fact name="To, as the message says" id="message-to">
          <Quoted text={to.join(', ')} />
        </Fact>
      )}
      <Fact name="Subject" id="message-subject">
        <Quoted text={subject} />
      </Fact>
      {inReplyTo === null ? null : (
        <Fact name="In reply to" id="message-in-reply-to">
          <Quoted text={inReplyTo} />
        </Fact>
      )}
      <Fact name="Message-ID" id="message-id">
        <Quoted text={messageId} />
      </Fact>
      <Fact name="Size" id="message-size">
        {numberText(sizeBytes)} bytes, headers included
      </Fact>
    </dl>
  );
}

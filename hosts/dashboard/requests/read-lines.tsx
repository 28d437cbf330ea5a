import type { PriorRead } from '../../../core/provenance/read-lines.ts';
import { Quoted } from '../third-party-text.tsx';
import { ClockTime } from '../when.tsx';

/**
 * What agents of the owner read in the day before the request, newest first. Strangers wrote the titles and chose the
 * addresses: each is isolated, on one line, and set off from the words around it. Folded: the findings name what matters.
 */
export function ReadLines({ reads, zone }: { reads: readonly PriorRead[]; zone: string }) {
  if (reads.length === 0) return null;
  return (
    <details id="reads">
      <summary>What was read before it asked ({reads.length})</summary>
      <ul>
        {reads.map((line) => (
          <li data-stranger={line.isStranger === true && line.takes.length > 0}>
            <ClockTime at={new Date(line.atMs)} zone={zone} /> <Line line={line} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Line({ line: { source, isListed, byOther, isStranger, isUnproven, takes } }: { line: PriorRead }) {
  const { kind, title, author, quoting } = source;
  return (
    <>
      {isListed ? 'saw' : 'read'} {kind === 'message' ? null : `the ${kind} `}
      <i>{title === '' ? 'without a title' : <Quoted text={title} />}</i> (
      {author === '' ? 'nobody is named' : <Quoted text={author} />}
      {quoting === null || quoting === '' ? null : (
        <>
          , quoting <Quoted text={quoting} />
        </>
      )}
      {isUnproven === true ? ', not proven' : isStranger === true ? ', never written to' : null}
      {byOther ? ', by another key' : null})
      {takes.length === 0 ? null : (
        <>
          . The request has from it:{' '}
          {takes.map(({ what, value }, index) => (
            <>
              {index === 0 ? null : ', '}
              {TAKES[what]}
              {value === '' ? null : (
                <>
                  {' '}
                  <Quoted text={value} />
                </>
              )}
            </>
          ))}
        </>
      )}
    </>
  );
}

const TAKES: Record<PriorRead['takes'][number]['what'], string> = {
  recipient: 'the recipient',
  link: 'the link to',
  address: 'the address',
  account_number: 'the account or bank number',
  amount: 'the amount',
  words: 'words of its text',
  purpose: 'words of its purpose:',
};

import type { ShownFinding } from '../../../core/requests/approval-views.ts';
import type { Severity } from '../../../core/safety/finding.ts';
import type { FindingSentence } from '../../../core/safety/finding-text.ts';
import { markedParts } from '../marked-parts.ts';
import { Quoted } from '../third-party-text.tsx';

/** For people who do not see the color of a finding. */
export const SEVERITY_TITLES: Record<Severity, string> = { red: 'High risk', amber: 'Unusual', info: 'Note' };

/** From this length on, a text can push what follows the findings off a phone's first screen. */
const LONG_TEXT_CHARS = 800;
/** More places of one finding are marked in the text, but not listed. */
const PLACES_SHOWN = 9;

/**
 * What the owner should know before a decision. A finding leads to its marks in the text.
 * @param textChars  how long the text is that they are about: above a long one stands how many there are
 */
export function Findings({ findings, textChars }: { findings: readonly ShownFinding[]; textChars: number }) {
  if (findings.length === 0) return null;
  const parts = { subject: markedParts(findings, 'subject'), text: markedParts(findings, 'text') };
  const isLong = textChars >= LONG_TEXT_CHARS;
  return (
    <>
      {isLong ? (
        <h2 id="findings-count">{findings.length === 1 ? '1 finding' : `${findings.length} findings`}</h2>
      ) : null}
      <ul class="findings" id="findings" aria-label="Findings">
        {findings.map((finding) => {
          const marked = finding.marks.flatMap((mark) =>
            parts[mark.in].filter(({ from, to }) => mark.from < to && from < mark.to).map(({ id }) => id),
          );
          return (
            <li data-severity={finding.severity}>
              <b>{SEVERITY_TITLES[finding.severity]}.</b> <Words sentence={finding.sentence} />
              <Jumps ids={[...new Set(marked)]} />
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** Links to the marked places. */
function Jumps({ ids }: { ids: readonly string[] }) {
  return (
    <>
      {ids.slice(0, PLACES_SHOWN).map((id, index) => (
        <>
          {' '}
          <a href={`#${id}`} aria-label={index === 0 ? undefined : `Show place ${index + 1}`}>
            {index === 0 ? 'Show' : index + 1}
          </a>
        </>
      ))}
    </>
  );
}

/** So many names of one finding show, for example the recipients; the others unfold. */
const NAMES_SHOWN = 5;

export function Words({ sentence }: { sentence: FindingSentence }) {
  const places = sentence.flatMap((part, index) => (typeof part === 'string' ? [] : [index]));
  const last = places[NAMES_SHOWN - 1];
  const more = places.length - NAMES_SHOWN;
  // Nothing is folded to hide a single name.
  if (last === undefined || more < 2) return <Said sentence={sentence} />;
  return (
    <>
      <Said sentence={sentence.slice(0, last + 1)} /> and {more} more.
      <details class="more">
        <summary>All {places.length}</summary>
        <Said sentence={sentence.slice(places[0])} />
      </details>
    </>
  );
}

function Said({ sentence }: { sentence: FindingSentence }) {
  return <>{sentence.map((part) => (typeof part === 'string' ? part : <Quoted text={part.name} />))}</>;
}

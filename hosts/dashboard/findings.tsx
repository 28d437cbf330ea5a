import type { Severity } from '../../core/safety/finding.ts';
import type { Sentence } from '../../core/safety/finding-text.ts';
import type { ShownFinding } from '../../core/service/service.ts';
import { markedParts } from './marked-parts.ts';
import { Quoted } from './third-party-text.tsx';

/** For people who do not see the color of a finding. */
export const SEVERITY_TITLES: Record<Severity, string> = { red: 'High risk', amber: 'Unusual', info: 'Note' };

/** What the owner should know before a decision. A finding leads to its first mark in the text. */
export function Findings({ findings }: { findings: readonly ShownFinding[] }) {
  if (findings.length === 0) return null;
  const parts = { subject: markedParts(findings, 'subject'), text: markedParts(findings, 'text') };
  return (
    <ul class="findings" id="findings" aria-label="Findings">
      {findings.map((finding) => {
        const part = finding.marks
          .map((mark) => parts[mark.in].find(({ from, to }) => mark.from < to && from < mark.to))
          .find((one) => one !== undefined);
        return (
          <li data-severity={finding.severity}>
            <b>{SEVERITY_TITLES[finding.severity]}.</b> <Words sentence={finding.sentence} />
            {part === undefined ? null : (
              <>
                {' '}
                <a href={`#${part.id}`}>Show</a>
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** So many names of one finding show, for example the recipients; the others unfold. */
const NAMES_SHOWN = 5;

export function Words({ sentence }: { sentence: Sentence }) {
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

function Said({ sentence }: { sentence: Sentence }) {
  return <>{sentence.map((part) => (typeof part === 'string' ? part : <Quoted text={part.name} />))}</>;
}

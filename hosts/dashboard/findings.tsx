import type { Severity } from '../../core/safety/finding.ts';
import type { Sentence } from '../../core/safety/finding-text.ts';
import type { ShownFinding } from '../../core/service/service.ts';
import type { MarkedPart } from './marked-parts.ts';
import { Quoted } from './third-party-text.tsx';

/** For people who do not see the color of a finding. */
export const SEVERITY_TITLES: Record<Severity, string> = { red: 'High risk', amber: 'Unusual', info: 'Note' };

/** What the owner should know before a decision. A finding leads to its first mark in the text. */
export function Findings(props: { findings: readonly ShownFinding[]; parts: readonly MarkedPart[] }) {
  const { findings, parts } = props;
  if (findings.length === 0) return null;
  return (
    <ul class="findings" id="findings" aria-label="Findings">
      {findings.map((finding) => {
        const part = parts.find((one) =>
          finding.marks.some((mark) => mark.in === 'text' && mark.from < one.to && one.from < mark.to),
        );
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

export function Words({ sentence }: { sentence: Sentence }) {
  return <>{sentence.map((part) => (typeof part === 'string' ? part : <Quoted text={part.name} />))}</>;
}

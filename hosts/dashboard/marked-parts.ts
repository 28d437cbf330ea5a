import type { ShownFinding } from '../../core/requests/approval-views.ts';
import type { Mark, Severity } from '../../core/safety/finding.ts';

/** A part of a text to highlight, in UTF-16 offsets. */
export interface MarkedPart {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly severity: Severity;
}

/**
 * The parts of the message's text, or of its subject, that findings mark, in order. Overlapping marks are one part, as
 * severe as the most severe of them. Pure.
 */
export function markedParts(findings: readonly ShownFinding[], text: Mark['in']): MarkedPart[] {
  const marks = findings
    .flatMap(({ severity, marks: all }) =>
      all.flatMap(({ in: where, from, to }) => (where === text && from < to ? [{ from, to, severity }] : [])),
    )
    .sort((a, b) => a.from - b.from);
  const parts: { from: number; to: number; severity: Severity }[] = [];
  for (const mark of marks) {
    const last = parts.at(-1);
    if (last === undefined || mark.from >= last.to) {
      parts.push({ ...mark });
      continue;
    }
    last.to = Math.max(last.to, mark.to);
    if (mark.severity === 'red' || last.severity === 'info') last.severity = mark.severity;
  }
  return parts.map((part, index) => ({ ...part, id: `${PREFIXES[text]}-${index + 1}` }));
}

const PREFIXES: Record<Mark['in'], string> = { text: 'mark', subject: 'subject-mark' };

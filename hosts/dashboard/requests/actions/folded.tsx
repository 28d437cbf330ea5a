import type { ComponentChildren } from 'preact';
import { charsIn } from '../../third-party-text.tsx';

/** A long text that only unfolds on demand, with its length. */
export function Folded(props: { what: string; text: string; children: ComponentChildren }) {
  return (
    <details>
      <summary>
        {props.what}: {charsIn(props.text)}
      </summary>
      {props.children}
    </details>
  );
}

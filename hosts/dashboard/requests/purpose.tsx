import { Quoted } from '../third-party-text.tsx';

/** Why the program asks, in its own words: plain text on one line, whatever it contains. */
export function Purpose({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p id="purpose">
      The program says why it asks: “<Quoted text={text} />”
    </p>
  );
}

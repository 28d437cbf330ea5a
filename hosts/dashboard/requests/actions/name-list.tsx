import { Quoted } from '../../third-party-text.tsx';

const SHOWN = 5;

/** Names, of which the first few show and the others unfold. */
export function NameList({ names }: { names: readonly string[] }) {
  // Nothing is folded to hide a single name.
  const shown = names.length <= SHOWN + 1 ? names.length : SHOWN;
  const items = (list: readonly string[]) =>
    list.map((name) => (
      <li>
        <Quoted text={name} />
      </li>
    ));
  return (
    <>
      <ul>{items(names.slice(0, shown))}</ul>
      {shown === names.length ? null : (
        <details class="more">
          <summary>{names.length - shown} more</summary>
          <ul>{items(names.slice(shown))}</ul>
        </details>
      )}
    </>
  );
}

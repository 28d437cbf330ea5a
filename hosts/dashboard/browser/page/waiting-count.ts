import { ID } from '../../page-protocol.ts';
import { elementWithId } from './elements.ts';

/** The requests that wait, as this page says. */
let waiting = 0;

const prefixOf = (count: number) => (count === 0 ? '' : `(${count}) `);

export function countIn(page: Document): number {
  return Number(elementWithId(ID.waitingCount, page).textContent);
}

/** Takes the count that the page came with. */
export function readCount(): void {
  waiting = countIn(document);
}

/** Says it once: in the navigation, in the title, and to a screen reader. */
export function showCount(count: number): void {
  if (count === waiting) return;
  document.title = prefixOf(count) + document.title.slice(prefixOf(waiting).length);
  waiting = count;
  elementWithId(ID.waitingCount).textContent = count === 0 ? '' : String(count);
  elementWithId(ID.announcement).textContent =
    count === 0
      ? 'No request waits for you.'
      : count === 1
        ? '1 request waits for you.'
        : `${count} requests wait for you.`;
}

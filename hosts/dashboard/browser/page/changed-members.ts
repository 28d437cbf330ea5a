import { ID } from '../../page-protocol.ts';
import { elements } from './elements.ts';

/** The owner chooses among what this page shows, so it only says that something has changed. */
export function tellOfChanges(line: HTMLElement, page: Document): void {
  const idsIn = (from: Document) => elements(HTMLElement, `#${ID.members} > li`, from).map(({ id }) => id);
  const [shown, now] = [idsIn(document), idsIn(page)];
  const added = now.filter((id) => !shown.includes(id)).length;
  const gone = shown.filter((id) => !now.includes(id)).length;
  const counts = [
    ...(added > 0 ? [`${added} new`] : []),
    ...(gone > 0 ? [`${gone} decided or withdrawn`] : []),
  ];
  line.hidden = counts.length === 0;
  const link = document.createElement('a');
  link.href = location.href;
  link.textContent = 'Show them as they are now';
  line.replaceChildren(`${counts.join(', ')}. `, link);
}

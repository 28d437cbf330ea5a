import { elements } from './elements.ts';

function addButton(text: HTMLElement): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'outline secondary copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(text.textContent).then(
      () => {
        button.textContent = 'Copied';
      },
      () => {
        button.textContent = 'Not copied. Select the text';
      },
    );
  });
  text.after(button);
}

/**
 * Puts a button under each text that is there to be copied, such as a key. Browsers let a page copy only at a secure
 * address. Elsewhere one click still selects the text.
 */
export function addCopyButtons(): void {
  if (navigator.clipboard === undefined) return;
  document.addEventListener('DOMContentLoaded', () => {
    for (const text of elements(HTMLElement, 'code.secret')) addButton(text);
  });
}

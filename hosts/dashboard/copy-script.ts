/**
 * The part of the page's script that puts a button under each text that is there to be copied, such as a key. Browsers
 * let a page copy only at a secure address. Elsewhere one click still selects the text.
 */
export const COPY_SCRIPT = `(() => {
  'use strict';
  if (navigator.clipboard === undefined) return;

  function addButton(text) {
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
        });
    });
    text.after(button);
  }

  document.addEventListener('DOMContentLoaded', () => {
    for (const text of document.querySelectorAll('code.secret')) addButton(text);
  });
})();
`;

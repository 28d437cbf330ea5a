import { isBehindAnother } from './form-field.ts';
import { attributesOf, childElements, type HtmlElement, parentOf } from './html-tree.ts';
import { unclearIf, type Visibility } from './visibility.ts';

/** Whether a browser draws an element, by its tag and attributes alone. Pure. */

/** Drawn by no browser, however it is styled. */
export const NEVER_DRAWN = new Set(
  (
    'template datalist noembed noframes title iframe meter progress rp desc metadata defs annotation ' +
    'annotation-xml audio video head script style param source track'
  ).split(' '),
);

/** Drawn by some mail programs, or once a person opens it. */
const OFTEN_LEFT_OUT = new Set('object svg bdo canvas frameset'.split(' '));

export function drawnByTag(element: HtmlElement): Visibility {
  const name = element.tagName.toLowerCase();
  const attributes = attributesOf(element);
  if (name === 'input' && attributes.get('type')?.toLowerCase() === 'hidden') return 'hidden';
  if (NEVER_DRAWN.has(name) || (name === 'dialog' && !attributes.has('open'))) return 'hidden';
  const parent = parentOf(element);
  const isClosed = parent?.tagName === 'details' && !attributesOf(parent).has('open');
  if (isClosed && !(name === 'summary' && childElements(parent)[0] === element)) return 'unclear';
  const hasShadowTree = childElements(element).some((one) => attributesOf(one).has('shadowrootmode'));
  return unclearIf(
    OFTEN_LEFT_OUT.has(name) || hasShadowTree || (name === 'option' && isBehindAnother(element)),
  );
}

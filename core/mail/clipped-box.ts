import { FONT_PX, lengthPx, SCREEN_PX } from './css-length.ts';
import { type Box, CELLS, room, sideIn, textLength } from './styled-box.ts';
import { READABLE_PX, unclearIf, type Visibility, worst } from './visibility.ts';

/** Decides whether a box cuts off its text by its size, by `clip` or by `clip-path`. Pure. */

export function clipped(box: Box): Visibility {
  return worst(clippedByPath(box.get('clip-path')), clippedByRect(box), clippedByOverflow(box));
}

function clippedByOverflow(box: Box): Visibility {
  const { element, get, px, isBlock: hasSize, display, fontPx } = box;
  const overflow = `${get('overflow-x')} ${get('overflow-y')}`;
  const isCell = display === '' ? CELLS.test(element.tagName) : display.startsWith('table');
  if (overflow.trim() === '' || !/hidden|clip|scroll|auto|\(/.test(overflow) || !hasSize || isCell)
    return 'shown';
  const sizes = ['height', 'max-height', 'width', 'max-width'];
  const isUnknown =
    sizes.some((one) => get(one).includes('(') && px(one) === undefined) || overflow.includes('(');
  if (isUnknown) return 'unclear';
  if (sizes.some((one) => (px(one) ?? READABLE_PX) < READABLE_PX)) {
    // The text may be visible in the padding.
    const padding = sideIn('padding-bottom', get('padding-bottom'));
    return padding !== '' && lengthPx(padding, fontPx, SCREEN_PX) !== 0 ? 'unclear' : 'hidden';
  }
  if (!/hidden|clip/.test(overflow)) return 'shown';
  return unclearIf(textLength(element) > room(box));
}

function clippedByPath(path: string): Visibility {
  if (!path.includes('(')) return 'shown';
  if (/^(?:inset\((?:[^,()]*\s)?(?:[5-9]\d|100)(?:\.\d+)?%|circle\(\s*0|ellipse\(\s*0)/.test(path))
    return 'hidden';
  if (/^(?:rect|polygon)\([\s0,pxem%auto]*\)$/.test(path)) return 'hidden';
  return unclearIf(!/^inset\(0[0-9a-z.% ]{0,3}( round [^()]*)?\)$/.test(path));
}

function clippedByRect({ get }: Box): Visibility {
  const clip = get('clip');
  if (!clip.includes('(') || !/absolute|fixed|\(/.test(get('position'))) return 'shown';
  const sides = (/^rect\(([^()]*)\)$/.exec(clip)?.[1] ?? '').split(/[\s,]+/).filter((side) => side !== '');
  if (sides.length === 4 && sides.every((side) => side === 'auto')) return 'shown';
  const [top, right, bottom, left] = sides.map((side) => lengthPx(side, FONT_PX, 0));
  if (top === undefined || right === undefined || bottom === undefined || left === undefined)
    return 'unclear';
  return bottom - top <= 1 || right - left <= 1 ? 'hidden' : 'unclear';
}

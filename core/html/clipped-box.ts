import { FONT_PX, lengthPx, numberIn, SCREEN_PX, valuesIn } from './css-length.ts';
import { type Box, CELLS, overflows, sideIn } from './styled-box.ts';
import { READABLE_PX, unclearIf, type Visibility, worst } from './visibility.ts';

/** Decides whether a box cuts off its text by its size, by `clip` or by `clip-path`. Pure. */

export function clipped(box: Box): Visibility {
  return worst([
    clippedByPath(box.get('clip-path')),
    clippedByRect(box),
    clippedByOverflow(box),
    inEmptyTrack(box),
  ]);
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
  if (isSqueezed(box)) return 'unclear';
  if (sizes.some((one) => (px(one) ?? READABLE_PX) < READABLE_PX)) {
    // The text may be visible in the padding.
    const padding = sideIn('padding-bottom', get('padding-bottom'));
    return padding !== '' && lengthPx(padding, fontPx, SCREEN_PX) !== 0 ? 'unclear' : 'hidden';
  }
  if (!/hidden|clip/.test(overflow)) return 'shown';
  return unclearIf(overflows(box));
}

/** An item of a flexible box that has no size and gets none: `flex: 0 0 0`. */
function isSqueezed({ get, fontPx }: Box): boolean {
  const [grow = '0', , basis = '0'] = get('flex') === 'none' ? ['0', '0', 'auto'] : valuesIn(get('flex'));
  const size = get('flex-basis') || (get('flex') === '' ? 'auto' : basis);
  const px = lengthPx(size, fontPx, SCREEN_PX) ?? READABLE_PX;
  return px < READABLE_PX && numberIn(get('flex-grow') || grow) === 0;
}

/** Of the free space: less is next to nothing. */
const SEEN_SHARE = 0.1;

/** A row or column of a grid with next to no size. `minmax(0, 1fr)` has one. */
function inEmptyTrack({ get, display, fontPx }: Box): Visibility {
  if (!display.includes('grid')) return 'shown';
  const tracks = ['grid-template-rows', 'grid-template-columns', 'grid-auto-rows', 'grid-auto-columns'];
  const sizes = tracks.flatMap((one) =>
    get(one)
      .replace(/minmax\([^,()]*,/g, '(')
      .split(/[\s,()/]+/),
  );
  return unclearIf(
    sizes.some((size) => {
      const [, share] = /^([\d.]+)fr$/.exec(size) ?? [];
      return share === undefined
        ? (lengthPx(size, fontPx, SCREEN_PX) ?? READABLE_PX) < READABLE_PX
        : Number(share) < SEEN_SHARE;
    }),
  );
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

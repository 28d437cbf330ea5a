import type { Values } from './computed-style.ts';
import { FONT_PX, lengthPx, numberIn, SCREEN_PX, valuesIn } from './css-length.ts';
import { type Box, sideIn } from './styled-box.ts';
import { hiddenIf, READABLE_PX, unclearIf, type Visibility, worst } from './visibility.ts';

/** Whether margins, positions and transforms move a box off the page, or make it too small to read. Pure. */

/** Nothing is visible this far to the left or above, and nobody scrolls this far to the right or down. */
const OFF_PAGE_PX = -300;

const OUT_OF_REACH_PX = 5000;

export function moved(box: Box): Visibility {
  const { get, px, isPlaced, isBlock: canMove } = box;
  const sight = (property: string, isSideways = false): Visibility => {
    const value = sideIn(property, get(property));
    if (value === '' || /^(?:auto|inherit|initial|unset|revert|normal|none)$/.test(value)) return 'shown';
    const distance = px(property);
    if (distance === undefined) return 'unclear';
    return awayBy(distance, isSideways);
  };
  return worst([
    ...(canMove ? [sight('margin-left'), sight('margin-top'), sight('text-indent')] : [sight('margin-left')]),
    ...(isPlaced && !/sticky/.test(get('position'))
      ? [sight('left', true), sight('right', true), sight('top'), sight('bottom')]
      : []),
    ...(canMove ? [transformed(get('transform')), transformed(ownTransforms(get))] : []),
    hiddenIf(isFlat(get('zoom'))),
  ]);
}

/** People who scroll see what lies to the right of the screen. */
function awayBy(px: number, isSideways: boolean): Visibility {
  if (px <= OFF_PAGE_PX || px >= OUT_OF_REACH_PX) return 'hidden';
  return unclearIf(isSideways && px >= SCREEN_PX);
}

/** `translate`, `scale` and `rotate` as the functions that they stand for. */
function ownTransforms(get: Values): string {
  const [translate, scale, rotate] = ['translate', 'scale', 'rotate'].map((one) =>
    valuesIn(get(one)).join(','),
  );
  return [translate && `translate(${translate})`, scale && `scale(${scale})`, rotate && `rotate(${rotate})`]
    .filter((one) => one && !/\((?:none|initial|unset)\)/.test(one))
    .join(' ');
}

const MAX_TURN_DEG = 60;

function transformed(transform: string): Visibility {
  return worst(
    valuesIn(transform).map((one) => {
      const [, name = '', inner = ''] = /^([a-z0-9]+)\((.*)\)$/.exec(one) ?? [];
      const parts = inner.split(/,(?![^(]*\))/).map((part) => part.trim());
      if (/^(?:none|initial|unset|inherit)$/.test(one)) return 'shown';
      if (/^scale(?:x|y|3d)?$/.test(name)) return worst(parts.map((part) => hiddenIf(isFlat(part))));
      if (/^translate(?:x|y|3d)?$/.test(name)) return worst(parts.map(translatedBy));
      if (name === 'rotate' || name === 'rotatez') return unclearIf(parts.length !== 1);
      if (/^(?:rotate|skew)[xy]?$/.test(name)) return turnedBy(parts);
      if (name === 'matrix') return inMatrix(parts.map(Number));
      return 'unclear';
    }),
  );
}

function translatedBy(distance: string): Visibility {
  // A percentage is one of the element's own size.
  const px = lengthPx(distance, FONT_PX, 100);
  if (px === undefined) return 'unclear';
  return distance.includes('%') ? unclearIf(Math.abs(px) > 100) : awayBy(px, false);
}

function turnedBy(parts: readonly string[]): Visibility {
  const turns = parts.map((part) => {
    const [, digits, unit] = /^(-?[\d.]+)(deg|turn|rad|grad)?$/.exec(part) ?? [];
    const perUnit = { turn: 360, rad: 180 / Math.PI, grad: 0.9 }[unit ?? ''] ?? 1;
    return digits === undefined ? undefined : Math.abs(Number(digits) * perUnit) % 180;
  });
  if (turns.some((turn) => turn === 90)) return 'hidden';
  return unclearIf(turns.some((turn) => turn === undefined || turn > MAX_TURN_DEG));
}

function inMatrix([a = Number.NaN, b = 0, c = 0, d = 0, x = 0, y = 0]: readonly number[]): Visibility {
  const size = Math.sqrt(Math.abs(a * d - b * c));
  if (Number.isNaN(size + x + y)) return 'unclear';
  return worst([hiddenIf(size <= READABLE_PX / FONT_PX), awayBy(x, false), awayBy(y, false)]);
}

/** So much smaller that letters are no more than dots. */
function isFlat(scale: string): boolean | undefined {
  if (scale === '' || !/[\d(]/.test(scale)) return false;
  const number = numberIn(scale);
  return number === undefined ? undefined : Math.abs(number) <= READABLE_PX / FONT_PX;
}

import { crc32, deflateSync } from 'node:zlib';

/** The icon of the installable page: a white tick on blue. */

const BLUE = [0x01, 0x72, 0xad] as const;
/** The corners of the tick, in a square of 32 by 32. It stays within the circle that every mask leaves visible. */
const TICK = [
  [8, 16.5],
  [13.5, 22],
  [24, 11],
] as const;
const STROKE = 3.5;
const SIDE = 32;

/** For browsers: with rounded corners. */
export const SVG_ICON =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${SIDE}"><rect width="${SIDE}" height="${SIDE}" rx="7" fill="#${hex(BLUE)}"/>` +
  `<path d="M${TICK.map((corner) => corner.join(' ')).join('L')}" fill="none" stroke="#fff" stroke-width="${STROKE}" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

const drawn = new Map<number, Uint8Array<ArrayBuffer>>();

/** For home screens, which cut their own corners. Each size is drawn once. @param size  pixels of a side */
export function pngIcon(size: number): Uint8Array<ArrayBuffer> {
  const known = drawn.get(size);
  if (known !== undefined) return known;
  const icon = draw(size);
  drawn.set(size, icon);
  return icon;
}

function draw(size: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // 8 bits per pixel, each the place of a color in the palette.
  header.set([8, 3], 8);
  const palette = Buffer.from(
    Array.from({ length: 256 }, (_, white) =>
      BLUE.map((blue) => Math.round(blue + ((255 - blue) * white) / 255)),
    ).flat(),
  );
  return new Uint8Array(
    Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      chunk('IHDR', header),
      chunk('PLTE', palette),
      chunk('IDAT', deflateSync(rows(size))),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  );
}

/** Each row starts with its filter: none. A pixel is as white as the tick covers it. */
function rows(size: number): Buffer {
  const scale = SIDE / size;
  const bytes = Buffer.alloc(size * (size + 1));
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const inside = (STROKE / 2 - distanceToTick((x + 0.5) * scale, (y + 0.5) * scale)) / scale;
      bytes[y * (size + 1) + 1 + x] = Math.round(255 * Math.min(1, Math.max(0, inside + 0.5)));
    }
  }
  return bytes;
}

function distanceToTick(x: number, y: number): number {
  const [a, b, c] = TICK;
  return Math.min(distance(x, y, a, b), distance(x, y, b, c));
}

type Corner = readonly [x: number, y: number];

function distance(x: number, y: number, [ax, ay]: Corner, [bx, by]: Corner): number {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
  const [px, py] = [x - ax - along * dx, y - ay - along * dy];
  return Math.sqrt(px * px + py * py);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(named, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}

function hex(color: readonly number[]): string {
  return Buffer.from(color).toString('hex');
}

import { createHash } from 'node:crypto';
import PAGE_SCRIPT from './browser/page/page.ts?script';
import SERVICE_WORKER from './browser/worker/service-worker.ts?script';
import { pngIcon, SVG_ICON } from './icon.ts';
import { PICO } from './pico.ts';
import { STYLE } from './style.ts';

export interface Asset {
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

const style: Asset = { type: 'text/css; charset=utf-8', body: `${PICO}\n${STYLE}` };
const script: Asset = { type: 'text/javascript; charset=utf-8', body: PAGE_SCRIPT };
const icon: Asset = { type: 'image/svg+xml', body: SVG_ICON };
/** Drawn when a browser first asks for it. */
const png = (size: number): Asset => ({
  type: 'image/png',
  get body() {
    return pngIcon(size);
  },
});

/** The path changes with the content, so browsers may cache it forever. */
export const STYLE_PATH = `/assets/${fingerprint(style)}.css`;
export const SCRIPT_PATH = `/assets/${fingerprint(script)}.js`;
export const ICON_PATH = `/assets/${fingerprint(icon)}.svg`;
/** The same drawing, for devices that show no SVG. */
export const TOUCH_ICON_PATH = `/assets/${fingerprint(icon)}-192.png`;
const PNG_ICONS = [
  { path: TOUCH_ICON_PATH, size: 192 },
  { path: `/assets/${fingerprint(icon)}-512.png`, size: 512 },
] as const;

/** Below the dashboard's base: a service worker serves the pages beside it. */
export const WORKER_PATH = '/service-worker.js';
export const MANIFEST_PATH = '/manifest.webmanifest';

/** Makes the dashboard installable. Its addresses are relative to its own, so it works under every base path. */
const manifest: Asset = {
  type: 'application/manifest+json; charset=utf-8',
  body: JSON.stringify({
    name: 'Countersign',
    short_name: 'Countersign',
    id: './',
    start_url: './approvals',
    scope: './',
    display: 'standalone',
    background_color: '#ffffff',
    theme_color: '#0172ad',
    icons: [
      { src: `.${ICON_PATH}`, sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
      ...PNG_ICONS.map(({ path, size }) => ({
        src: `.${path}`,
        sizes: `${size}x${size}`,
        type: 'image/png',
        purpose: 'any maskable',
      })),
    ],
  }),
};

/** Browsers fetch these again to see whether they have changed. */
export const NAMED_ASSETS: ReadonlyMap<string, Asset> = new Map([
  [WORKER_PATH, { type: 'text/javascript; charset=utf-8', body: SERVICE_WORKER }],
  [MANIFEST_PATH, manifest],
]);

/** Those whose path changes with their content. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  [STYLE_PATH, style],
  [SCRIPT_PATH, script],
  [ICON_PATH, icon],
  ...PNG_ICONS.map(({ path, size }) => [path, png(size)] as const),
]);

function fingerprint(asset: Asset): string {
  return createHash('sha256').update(asset.body).digest('hex').slice(0, 16);
}

import { encode } from 'uqr';

/** Modules of quiet zone around the code. Source: ISO/IEC 18004. */
const BORDER = 4;

/** A text as a QR code: dark on light in every colour scheme, because some readers know nothing else. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { border: BORDER });
  const dark = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  );
}

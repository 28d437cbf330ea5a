import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { getDocumentProxy } from 'unpdf';
import { z } from 'zod';
import type { BoundedText } from './bounded-text.ts';
import { refusedByteArrays } from './byte-array-limit.ts';
import { NoText } from './no-text.ts';
import { annotationsText } from './pdf-annotations.ts';
import { type CharacterMaps, characterMaps } from './pdf-character-maps.ts';

/** After this CPU time a long document is cut at a page, before it fails for taking too long. */
const ENOUGH_MS = 7000;
const CHECK_EVERY_MS = 50;

/** @returns whether that time is over */
function startTimer(): () => boolean {
  const start = process.cpuUsage();
  let lookAt = performance.now();
  let isOver = false;
  return () => {
    // Asking for it costs as much as reading a line.
    if (isOver || performance.now() < lookAt) return isOver;
    lookAt = performance.now() + CHECK_EVERY_MS;
    const { user, system } = process.cpuUsage(start);
    isOver = user + system > ENOUGH_MS * 1000;
    return isOver;
  };
}

/**
 * Extracts lines in their layout. Completed fields and typed text follow each page; an empty line separates
 * pages.
 * @throws NoText `encrypted`, `broken`, `too_large`, `too_slow`, `no_text`; `unsupported_type` if fonts
 * cannot be read
 */
export async function pdfText(bytes: Uint8Array, out: BoundedText): Promise<void> {
  const isOver = startTimer();
  const refused = refusedByteArrays();
  // It does not accept a Buffer.
  const maps = characterMaps();
  const pdf = await openPdf(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), maps);
  const pages = pdf.numPages;
  let unread = 0;
  try {
    for (let number = 1; number <= pages && !out.full; number++) {
      if (!(await pageText(pdf, number, out, isOver))) unread++;
      if (!isOver() || number === pages) continue;
      throw new NoText('too_slow');
    }
  } finally {
    await pdf.destroy();
  }
  if (refusedByteArrays() > refused) throw new NoText('too_large');
  if (maps.isMissing) throw new NoText('unsupported_type');
  if (out.blank && unread === 0) throw new NoText('no_text', { pages });
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

async function openPdf(bytes: Uint8Array, { Factory }: CharacterMaps): Promise<Pdf> {
  try {
    return await getDocumentProxy(bytes, {
      // Only errors, and not to stdout.
      verbosity: 0,
      // Nothing is drawn, and no fonts of this machine are used.
      disableFontFace: true,
      useSystemFonts: false,
      maxImageSize: 0,
      useWasm: false,
      enableXfa: false,
      stopAtErrors: false,
      BinaryDataFactory: Factory,
      cMapPacked: false,
    });
  } catch (error) {
    const isProtected = error instanceof Error && error.name === 'PasswordException';
    throw new NoText(isProtected ? 'encrypted' : 'broken', { cause: error });
  }
}

/** Besides text there are marks, which have none. */
const Chunk = z.object({
  items: z.array(z.object({ str: z.string().default(''), hasEOL: z.boolean().default(false) })),
});

/** @returns whether the page was read to its end */
async function pageText(pdf: Pdf, number: number, out: BoundedText, isOver: () => boolean): Promise<boolean> {
  try {
    const page = await pdf.getPage(number);
    const reader = page.streamTextContent().getReader();
    for (;;) {
      const read: { readonly done: boolean; readonly value?: unknown } = await reader.read();
      if (read.done) break;
      for (const { str, hasEOL } of Chunk.parse(read.value).items) out.write(hasEOL ? `${str}\n` : str);
      if (!out.full && !isOver()) continue;
      await reader.cancel(new Error('This is enough.'));
      out.incomplete();
      return false;
    }
    out.write('\n');
    annotationsText(await page.getAnnotations({ intent: 'any' }), out);
    page.cleanup();
    out.write('\n');
    return true;
  } catch {
    // An unreadable page does not affect the others.
    out.incomplete();
    return false;
  }
}

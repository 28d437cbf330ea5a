// Reads text in pictures: your own reader of attachments in front of Countersign's.
// It runs `tesseract` on this machine (Debian: apt-get install tesseract-ocr). Without it, no pictures are read.
// Run it: node examples/ocr.mjs PICTURE…
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { workerText } from 'countersign/extract';

/** Larger pictures take a long time and much memory. */
const MAX_PIXELS = 20_000_000;
const LONGEST_MS = 20_000;
const NOTE = '[Read from a picture by a program, which makes mistakes.]';

/** For `attachmentText` of createService. Anything except a picture is read as before. */
function withOcr(documents) {
  return {
    async extract(document) {
      const read = await documents.extract(document);
      if (read.kind === 'text' || read.reason !== 'image') return read;
      const { width, height } = read.picture ?? {};
      // A picture without a known size could take any amount of memory.
      if (!(width * height <= MAX_PIXELS)) return read;
      const text = await textInPicture(document);
      return text === '' ? read : { kind: 'text', text: `${NOTE}\n\n${text}`, cut: false };
    },
    close: () => documents.close(),
  };
}

/** The picture comes from a stranger, so a separate process reads it, with a time limit. */
function textInPicture({ bytes, signal }) {
  return new Promise((resolve) => {
    const child = spawn('tesseract', ['stdin', 'stdout'], {
      env: { PATH: process.env.PATH, OMP_THREAD_LIMIT: '1' },
      stdio: ['pipe', 'pipe', 'ignore'],
      signal,
      timeout: LONGEST_MS,
      killSignal: 'SIGKILL',
    });
    const pieces = [];
    child.stdout.on('data', (piece) => pieces.push(piece));
    child.on('error', ({ code }) => {
      if (code === 'ENOENT') console.error('There is no tesseract here: apt-get install tesseract-ocr');
      // The caller has left, or tesseract cannot run: the picture is not read.
      resolve('');
    });
    child.on('close', (code) => resolve(code === 0 ? Buffer.concat(pieces).toString('utf8').trim() : ''));
    // tesseract may end before it has read the whole picture.
    child.stdin.on('error', () => undefined).end(bytes);
  });
}

const attachmentText = withOcr(workerText());
for (const file of process.argv.slice(2)) {
  const bytes = new Uint8Array(await readFile(file));
  const { signal } = new AbortController();
  const answer = await attachmentText.extract({ bytes, name: basename(file), mime: '', signal });
  console.log(JSON.stringify(answer));
}
await attachmentText.close();

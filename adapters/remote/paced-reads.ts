import type { Socket } from 'node:net';

/** The most that is passed on at once. Lines count too: a parser that rejects each of them takes longest. */
const PIECE_BYTES = 16 * 1024;
const PIECE_LINES = 200;
/** After so much work all sockets rest as long as it took, up to a limit: other work may have held the last turn. */
const WORK_MS = 20;
const REST_MS = 50;
const LF = 0x0a;
const NOTHING = Buffer.alloc(0);

/**
 * Passes what a server sends on in small pieces, and all sockets together pass on one piece in a turn of the event loop.
 * Otherwise a server that sends without end gets all of a turn: libuv reads a socket up to 32 times in a row, 64 KB each,
 * and parsers of lines take that much at once. Whatever servers send, half of the time is left to other work. Holds at
 * most one such read of a socket.
 */
export function paceReads(socket: Socket): void {
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  let held: Buffer = NOTHING;
  let hasEnded = false;
  let isWaiting = false;

  function deliver(): boolean {
    isWaiting = false;
    if (socket.destroyed) return false;
    if (held.length === 0) return push(null);
    const piece = held.subarray(0, pieceBytes(held));
    held = held.subarray(piece.length);
    return push(piece) && held.length === 0;
  }

  function deliverInTurn(): boolean {
    if (isWaiting) return false;
    isWaiting = true;
    return inTurn(deliver);
  }

  // Node stops reading from the system when `push` returns false, and goes on with `_read`.
  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) hasEnded = true;
    else held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    return deliverInTurn();
  };
  socket._read = (size) => {
    if (held.length > 0 || hasEnded) deliverInTurn();
    else read(size);
  };
}

function pieceBytes(bytes: Buffer): number {
  const most = Math.min(bytes.length, PIECE_BYTES);
  let end = 0;
  for (let lines = 0; lines < PIECE_LINES; lines += 1) {
    end = bytes.indexOf(LF, end) + 1;
    if (end === 0 || end > most) return most;
  }
  return end;
}

let isTaken = false;
/** At most one for each socket. */
const waiting: (() => boolean)[] = [];

/** Runs the work now if this turn is free, otherwise in one of the next. @returns what the work returned; false if it waits */
function inTurn(work: () => boolean): boolean {
  if (isTaken) {
    waiting.push(work);
    return false;
  }
  isTaken = true;
  return runTurn(work);
}

/** How long turns that follow each other have taken since the last rest. */
let workedMs = 0;

function runTurn(work: () => boolean): boolean {
  const beganMs = performance.now();
  setImmediate(() => {
    workedMs += performance.now() - beganMs;
    if (workedMs < WORK_MS) return nextTurn();
    setTimeout(nextTurn, Math.min(workedMs, REST_MS));
    workedMs = 0;
  });
  return work();
}

function nextTurn(): void {
  const work = waiting.shift();
  isTaken = work !== undefined;
  if (work === undefined) workedMs = 0;
  else runTurn(work);
}

import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The records of a test name server, by `TYPE name` in lower case. */
export type Zone = Readonly<Record<string, readonly ZoneRecord[] | 'SERVFAIL' | 'silence'>>;

type ZoneRecord =
  | { readonly a: string }
  | { readonly aaaa: readonly number[] }
  | { readonly mx: readonly [preference: number, exchange: string] }
  | { readonly srv: readonly [priority: number, weight: number, port: number, target: string] };

export interface NameServer {
  /** `address:port`, as Node's resolver expects it. */
  readonly address: string;
  close(): Promise<void>;
}

const TYPES = new Map([
  [1, 'A'],
  [15, 'MX'],
  [28, 'AAAA'],
  [33, 'SRV'],
]);
const HEADER_BYTES = 12;
const ANSWER = 0x8180;
const SERVFAIL = 2;
const NXDOMAIN = 3;

/** A name server on the loopback interface. Names known under another type return no data; unknown names do not exist. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    const found = zone[`${TYPES.get(type) ?? type} ${name}`];
    if (found === 'silence') return;
    const records = found === undefined || found === 'SERVFAIL' ? [] : found;
    const isKnown = Object.keys(zone).some((key) => key.endsWith(` ${name}`));
    const code = found === 'SERVFAIL' ? SERVFAIL : isKnown ? 0 : NXDOMAIN;
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(ANSWER | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    const answers = records.map((record) => answer(type, dataOf(record)));
    socket.send(
      Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...answers]),
      from.port,
      from.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** RFC 1035, 4.1.3; the name points to the one in the question. */
function answer(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function dataOf(record: ZoneRecord): Buffer {
  if ('a' in record) return Buffer.from(record.a.split('.').map(Number));
  if ('aaaa' in record) return numbers(...record.aaaa);
  if ('mx' in record) return Buffer.concat([numbers(record.mx[0]), nameOf(record.mx[1])]);
  const [priority, weight, port, target] = record.srv;
  return Buffer.concat([numbers(priority, weight, port), nameOf(target)]);
}

/** 16 bits each. */
function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index);
  return bytes;
}

/** `.` is the root. */
function nameOf(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([
    ...labels.map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);
}

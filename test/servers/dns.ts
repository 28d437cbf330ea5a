import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The records of a test name server, by `TYPE name` in lower case. */
export type Zone = Readonly<Record<string, readonly ZoneRecord[] | 'SERVFAIL' | 'silence'>>;

type ZoneRecord =
  | { readonly a: string }
  | { readonly aaaa: readonly number[] }
  /** Only of the type CNAME. The server also returns the target's records, if it has any. */
  | { readonly cname: string }
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
const CNAME = 5;
const HEADER_BYTES = 12;
const ANSWER = 0x8180;
const SERVFAIL = 2;
const NXDOMAIN = 3;

/** A name server on the loopback interface. Names known under another type return no data; unknown names do not exist. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    const aliases = aliasesOf(zone, name);
    const last = aliases.at(-1)?.target ?? name;
    const found = zone[`${TYPES.get(type) ?? type} ${last}`];
    if (found === 'silence') return;
    const records = found === undefined || found === 'SERVFAIL' ? [] : found;
    const isKnown = Object.keys(zone).some((key) => key.endsWith(` ${name}`));
    const code = found === 'SERVFAIL' ? SERVFAIL : isKnown ? 0 : NXDOMAIN;
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(ANSWER | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(aliases.length + records.length, 6);
    const answers = [
      ...aliases.map(({ alias, target }) => answer(alias, CNAME, nameOf(target))),
      ...records.map((record) => answer(last, type, dataOf(record))),
    ];
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

/** The chain of CNAME records that starts at the name. */
function aliasesOf(zone: Zone, name: string): { readonly alias: string; readonly target: string }[] {
  const chain: { readonly alias: string; readonly target: string }[] = [];
  for (let alias = name; ; ) {
    const records = zone[`CNAME ${alias}`];
    const [record] = Array.isArray(records) ? records : [];
    if (record === undefined || !('cname' in record)) return chain;
    chain.push({ alias, target: record.cname });
    alias = record.cname;
  }
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

/** RFC 1035, 4.1.3. The answer may be used for 0 seconds. */
function answer(name: string, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameOf(name), head, data]);
}

function dataOf(record: ZoneRecord): Buffer {
  if ('a' in record) return Buffer.from(record.a.split('.').map(Number));
  if ('aaaa' in record) return numbers(...record.aaaa);
  if ('cname' in record) return nameOf(record.cname);
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

import { compoundFile, type Storage } from './compound-files.ts';

/** Messages as Outlook saves them (MS-OXMSG). */

export interface SavedMessage {
  /** Texts by property. In UTF-16, or in `codePage` if there is one. */
  readonly texts?: Readonly<Record<number, string>>;
  readonly codePage?: number;
  readonly encode?: (text: string) => Buffer;
  readonly binary?: Readonly<Record<number, Buffer>>;
  /** Numbers, or times in ms, by property. */
  readonly numbers?: Readonly<Record<number, number>>;
  readonly times?: Readonly<Record<number, number>>;
  readonly recipients?: readonly { readonly name: string; readonly address: string; readonly kind: number }[];
  readonly files?: readonly (
    | { readonly name: string; readonly mime?: string; readonly content: Buffer }
    | { readonly name: string; readonly message: SavedMessage }
  )[];
}

export function outlookFile(message: SavedMessage): Buffer {
  return compoundFile(storageOf(message, 32));
}

function storageOf(message: SavedMessage, headerBytes: number): Storage {
  const { texts = {}, codePage, encode, binary = {}, recipients = [], files = [] } = message;
  const numbers = { ...message.numbers, ...(codePage === undefined ? {} : { 16381: codePage }) };
  return {
    '__properties_version1.0': properties(headerBytes, numbers, message.times),
    ...Object.fromEntries(
      Object.entries(texts).map(([id, text]) => [
        streamName(Number(id), encode === undefined ? 0x1f : 0x1e),
        encode?.(text) ?? Buffer.from(text, 'utf16le'),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(binary).map(([id, bytes]) => [streamName(Number(id), 0x102), bytes]),
    ),
    ...Object.fromEntries(
      recipients.map(({ name, address, kind }, at) => [
        numbered('__recip_version1.0_#', at),
        {
          '__properties_version1.0': properties(8, { 3093: kind }),
          [streamName(0x3001, 0x1f)]: Buffer.from(name, 'utf16le'),
          [streamName(0x39fe, 0x1f)]: Buffer.from(address, 'utf16le'),
        },
      ]),
    ),
    ...Object.fromEntries(
      files.map((file, at) => [
        numbered('__attach_version1.0_#', at),
        {
          '__properties_version1.0': properties(8, {}),
          [streamName(0x3707, 0x1f)]: Buffer.from(file.name, 'utf16le'),
          ...('message' in file
            ? { [streamName(0x3701, 0xd)]: storageOf(file.message, 24) }
            : {
                [streamName(0x370e, 0x1f)]: Buffer.from(file.mime ?? '', 'utf16le'),
                [streamName(0x3701, 0x102)]: file.content,
              }),
        },
      ]),
    ),
  };
}

function numbered(prefix: string, at: number): string {
  return prefix + at.toString(16).toUpperCase().padStart(8, '0');
}

function streamName(id: number, type: number): string {
  return `__substg1.0_${[id, type].map((one) => one.toString(16).toUpperCase().padStart(4, '0')).join('')}`;
}

function properties(
  headerBytes: number,
  numbers: Readonly<Record<number, number>> = {},
  times: Readonly<Record<number, number>> = {},
): Buffer {
  const entry = (id: string, type: number, value: bigint) => {
    const bytes = Buffer.alloc(16);
    bytes.writeUInt16LE(type, 0);
    bytes.writeUInt16LE(Number(id), 2);
    bytes.writeBigUInt64LE(value, 8);
    return bytes;
  };
  const ticks = (ms: number) => BigInt(ms - Date.UTC(1601, 0, 1)) * 10_000n;
  return Buffer.concat([
    Buffer.alloc(headerBytes),
    ...Object.entries(numbers).map(([id, value]) => entry(id, 3, BigInt(value))),
    ...Object.entries(times).map(([id, ms]) => entry(id, 0x40, ticks(ms))),
  ]);
}

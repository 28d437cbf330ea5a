import { BrokenObject } from './broken-object.ts';
import { refuseDepth } from './object-bounds.ts';

/**
 * A calendar object as a tree of components and content lines (RFC 5545 3.1, 3.4), for changing some of
 * its lines. All other lines stay as they were read, byte for byte, whatever they mean. A parser that rewrites a whole
 * object would lose what it does not know. ical.js reads the meaning elsewhere.
 */
export interface Component {
  /** Upper case. */
  readonly name: string;
  readonly items: readonly (ContentLine | Component)[];
}

export interface ContentLine {
  /** Upper case. Empty for a line that cannot be read, which is kept. */
  readonly name: string;
  /** In order. Values unchanged, with their quotes; several values of one parameter with their commas. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Unchanged, with its escapes. */
  readonly value: string;
  /** The line as read, with its folds. Undefined for a new line. */
  readonly source?: string;
}

export function isLine(item: ContentLine | Component): item is ContentLine {
  return 'value' in item;
}

/** @throws BrokenObject if the text is not exactly one VCALENDAR with properly nested components */
export function parseObject(ics: string): Component {
  const open: { name: string; items: (ContentLine | Component)[] }[] = [];
  let whole: Component | undefined;
  for (const source of logicalLines(ics)) {
    const line = parseLine(source);
    if (whole !== undefined) throw new BrokenObject('the object continues after its end');
    if (line.name === 'BEGIN') {
      open.push({ name: line.value.trim().toUpperCase(), items: [] });
      refuseDepth(open.length);
      continue;
    }
    const current = open.at(-1);
    if (current === undefined) throw new BrokenObject('the object does not start with a component');
    if (line.name !== 'END') {
      current.items.push(line);
      continue;
    }
    if (line.value.trim().toUpperCase() !== current.name)
      throw new BrokenObject('a component ends with a different name');
    open.pop();
    const around = open.at(-1);
    if (around === undefined) whole = current;
    else around.items.push(current);
  }
  if (whole?.name !== 'VCALENDAR') throw new BrokenObject('the object is not one VCALENDAR');
  return whole;
}

export function objectText(component: Component): string {
  const inner = component.items.map((item) =>
    isLine(item) ? `${item.source ?? folded(lineText(item))}\r\n` : objectText(item),
  );
  return `BEGIN:${component.name}\r\n${inner.join('')}END:${component.name}\r\n`;
}

/** The VEVENTs, in order. */
export function eventsIn(calendar: Component): Component[] {
  return calendar.items.filter((item): item is Component => !isLine(item) && item.name === 'VEVENT');
}

/** Builds a new line. @param value with its escapes; text goes through `escapedText` first */
export function line(name: string, value: string, parameters: ContentLine['parameters'] = []): ContentLine {
  const built = { name, parameters, value };
  if (!canBeWritten(built)) {
    throw new TypeError(`the ${name} of a calendar object contains a control character or a lone surrogate`);
  }
  return built;
}

function canBeWritten(built: ContentLine): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are refused
  return !/[\u0000-\u0008\u000a-\u001f\u007f]|\p{Surrogate}/u.test(lineText(built));
}

/** RFC 5545 3.3.11. */
export function escapedText(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replace(/\r\n?|\n/g, '\\n');
}

/**
 * The same line with a parameter set, or without it if `value` is undefined.
 * @throws BrokenObject if the rest of the line contains characters that must not be written
 */
export function withParameter(from: ContentLine, name: string, value: string | undefined): ContentLine {
  const others = from.parameters.filter(([other]) => other !== name);
  const parameters = value === undefined ? others : [...others, [name, value] as const];
  const changed = { name: from.name, parameters, value: from.value };
  if (!canBeWritten(changed)) throw new BrokenObject(`the ${from.name} of an object cannot be rewritten`);
  return changed;
}

export function parameterOf(from: ContentLine, name: string): string | undefined {
  return from.parameters.find(([other]) => other === name)?.[1];
}

export function linesNamed({ items }: Component, name: string): ContentLine[] {
  return items.filter((item): item is ContentLine => isLine(item) && item.name === name);
}

/** The component without its lines of these names, and with `lines` after its other lines. */
export function withLines(
  component: Component,
  names: readonly string[],
  lines: readonly ContentLine[],
): Component {
  const kept = component.items.filter((item) => !isLine(item) || !names.includes(item.name));
  const inner = kept.findIndex((item) => !isLine(item));
  const at = inner === -1 ? kept.length : inner;
  return { ...component, items: [...kept.slice(0, at), ...lines, ...kept.slice(at)] };
}

/** The text without the folds of its lines (RFC 5545 3.1). */
export function unfolded(text: string): string {
  return text.replace(/\r?\n[ \t]/g, '');
}

/** Joins folded lines: one that starts with white space continues the line before it. */
function logicalLines(ics: string): string[] {
  const lines: string[] = [];
  for (const physical of ics.replace(/^\ufeff/, '').split(/\r\n|\n/)) {
    if (physical === '') continue;
    const before = lines.length - 1;
    if (/^[ \t]/.test(physical) && before >= 0) lines[before] += `\r\n${physical}`;
    else lines.push(physical);
  }
  return lines;
}

/** Reads a logical line. One that cannot be read has no name. */
export function parseLine(source: string): ContentLine {
  const text = source.replace(/\r\n[ \t]/g, '');
  const name = /^[A-Za-z0-9-]+/.exec(text)?.[0] ?? '';
  const parameters: [string, string][] = [];
  let at = name.length;
  while (text[at] === ';') {
    PARAMETER.lastIndex = at;
    const parameter = PARAMETER.exec(text)?.[1];
    if (parameter === undefined) break;
    const value = PARAMETER.lastIndex;
    at = valueEnd(text, value);
    parameters.push([parameter.toUpperCase(), text.slice(value, at)]);
  }
  if (name === '' || text[at] !== ':') return { name: '', parameters: [], value: '', source };
  return { name: name.toUpperCase(), parameters, value: text.slice(at + 1), source };
}

const PARAMETER = /;([^=;:]+)=/y;

/** Where the value of a parameter ends. Quotes protect the characters that end it elsewhere. */
function valueEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === ';' || character === ':') return at;
    if (character !== '"') continue;
    const closing = text.indexOf('"', at + 1);
    if (closing === -1) return at;
    at = closing;
  }
  return text.length;
}

function lineText({ name, parameters, value }: ContentLine): string {
  return `${name}${parameters.map(([key, text]) => `;${key}=${text}`).join('')}:${value}`;
}

const LINE_BYTES = 75;

/** RFC 5545 3.1: at most 75 bytes per line, no character split. */
function folded(text: string): string {
  const lines: string[] = [];
  let current = '';
  let bytes = 0;
  for (const character of text) {
    const size = Buffer.byteLength(character, 'utf8');
    if (bytes + size > LINE_BYTES) {
      lines.push(current);
      current = ' ';
      bytes = 1;
    }
    current += character;
    bytes += size;
  }
  return [...lines, current].join('\r\n');
}

import { BrokenObject } from './ical/broken-object.ts';
import { refuseDepth } from './ical/object-bounds.ts';

/**
 * The text of a calendar object as a tree of components and content lines (RFC 5545 3.1, 3.4), for changing some
 * lines of it. Every line that is not changed stays as it was read, byte for byte, whatever it means: a parser that
 * writes all of it anew would lose what it does not know. What an object says is read elsewhere, by ical.js.
 */
export interface Component {
  /** Upper case. */
  readonly name: string;
  readonly items: readonly (ContentLine | Component)[];
}

export interface ContentLine {
  /** Upper case; empty for a line that cannot be read, which is kept. */
  readonly name: string;
  /** In their order. Values as they stand, with their quotes; several of one parameter with their commas. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** As it stands, with its escapes. */
  readonly value: string;
  /** The line as it was read, with its folds; undefined for one of ours. */
  readonly source?: string;
}

export function isLine(item: ContentLine | Component): item is ContentLine {
  return 'value' in item;
}

/** @throws BrokenObject when it is not one VCALENDAR whose components end where they should */
export function parseObject(ics: string): Component {
  const open: { name: string; items: (ContentLine | Component)[] }[] = [];
  let whole: Component | undefined;
  for (const source of logicalLines(ics)) {
    const line = parseLine(source);
    if (whole !== undefined) throw new BrokenObject('the object goes on behind its end');
    if (line.name === 'BEGIN') {
      open.push({ name: line.value.trim().toUpperCase(), items: [] });
      refuseDepth(open.length);
      continue;
    }
    const current = open.at(-1);
    if (current === undefined) throw new BrokenObject('the object does not begin with a component');
    if (line.name !== 'END') {
      current.items.push(line);
      continue;
    }
    if (line.value.trim().toUpperCase() !== current.name)
      throw new BrokenObject('a component ends as another');
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

/** The VEVENTs, in their order. */
export function eventsIn(calendar: Component): Component[] {
  return calendar.items.filter((item): item is Component => !isLine(item) && item.name === 'VEVENT');
}

/** A line of ours. @param value with its escapes; text goes through `escapedText` first */
export function line(name: string, value: string, parameters: ContentLine['parameters'] = []): ContentLine {
  const made = { name, parameters, value };
  if (!canBeWritten(made)) {
    throw new TypeError(`the ${name} of a calendar object holds a control character or half of a character`);
  }
  return made;
}

function canBeWritten(made: ContentLine): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are refused
  return !/[\u0000-\u0008\u000a-\u001f\u007f]|\p{Surrogate}/u.test(lineText(made));
}

/** RFC 5545 3.3.11. */
export function escapedText(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replace(/\r\n?|\n/g, '\\n');
}

/**
 * The same line with a parameter set, or without it if `value` is undefined.
 * @throws BrokenObject when the rest of the line holds what must not be written
 */
export function withParameter(from: ContentLine, name: string, value: string | undefined): ContentLine {
  const others = from.parameters.filter(([other]) => other !== name);
  const parameters = value === undefined ? others : [...others, [name, value] as const];
  const changed = { name: from.name, parameters, value: from.value };
  if (!canBeWritten(changed)) throw new BrokenObject(`the ${from.name} of an object cannot be written anew`);
  return changed;
}

export function parameterOf(from: ContentLine, name: string): string | undefined {
  return from.parameters.find(([other]) => other === name)?.[1];
}

export function linesNamed({ items }: Component, name: string): ContentLine[] {
  return items.filter((item): item is ContentLine => isLine(item) && item.name === name);
}

/** The component without its lines of these names, and with `lines` behind the lines that it has. */
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

/** Lines with their folds: what begins with white space goes on the line before it. */
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

function parseLine(source: string): ContentLine {
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

/** Where the value of a parameter ends. In quotes it may hold what ends one elsewhere. */
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

/** RFC 5545 3.1: at most 75 bytes a line, no character split over two. */
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

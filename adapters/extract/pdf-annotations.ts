import { z } from 'zod';
import type { BoundedText } from './bounded-text.ts';

/**
 * Writes what a page shows besides its own text: values of form fields, text typed on the page, and notes
 * (ISO 32000-2, 12.5 and 12.7). Fields are lines of their name and their value, from the top of the page to
 * its bottom.
 * @param annotations  of one page, as pdf.js reads them
 */
export function annotationsText(annotations: unknown, out: BoundedText): void {
  const read = z.array(Annotation).catch([]).parse(annotations);
  const lines = read.flatMap((one) => {
    const text = textOf(one)?.trim();
    return text === undefined || text === '' ? [] : [{ one, text }];
  });
  // PDF counts from the bottom of the page.
  lines.sort((a, b) => b.one.rect[3] - a.one.rect[3] || a.one.rect[0] - b.one.rect[0]);
  for (const { one, text } of lines) {
    if (out.full) return;
    if ((one.annotationFlags & UNSEEN) !== 0) out.leftOutHidden();
    else out.write(`${text}\n`);
  }
}

/** Bits of the flags: hidden, and not shown on a screen. */
const UNSEEN = 0b100010;

const Annotation = z.object({
  subtype: z.string().catch(''),
  annotationFlags: z.int().catch(0),
  rect: z.tuple([z.number(), z.number(), z.number(), z.number()]).catch([0, 0, 0, 0]),
  contentsObj: z.object({ str: z.string() }).catch({ str: '' }),
  textContent: z.array(z.string()).catch([]),
  fieldType: z.string().catch(''),
  fieldName: z.string().catch(''),
  /** The form's name of the field for people. */
  alternativeText: z.string().catch(''),
  fieldValue: z.union([z.string(), z.array(z.string())]).catch(''),
  password: z.boolean().catch(false),
  checkBox: z.boolean().catch(false),
  radioButton: z.boolean().catch(false),
  exportValue: z.string().catch(''),
  buttonValue: z.string().nullable().catch(null),
});
type Annotation = z.infer<typeof Annotation>;

/** Undefined: it shows no text. */
function textOf(annotation: Annotation): string | undefined {
  const { subtype, contentsObj, textContent } = annotation;
  if (subtype === 'Widget') return fieldText(annotation);
  if (subtype === 'FreeText') return textContent.length > 0 ? textContent.join('\n') : contentsObj.str;
  return contentsObj.str === '' ? undefined : `[Note: ${contentsObj.str}]`;
}

function fieldText(field: Annotation): string | undefined {
  const value = filledIn(field);
  if (value === '') return undefined;
  const name = field.alternativeText || field.fieldName;
  return name === '' ? value : `${name}: ${value}`;
}

function filledIn({ fieldType, fieldValue, password, checkBox, radioButton, ...button }: Annotation): string {
  const value = typeof fieldValue === 'string' ? fieldValue : fieldValue.join(', ');
  if (fieldType === 'Tx') return password ? '' : value;
  if (fieldType === 'Ch') return value;
  // A check box shows a mark without a word. One of several radio buttons shows it.
  if (checkBox) return value === button.exportValue && value !== '' && value !== 'Off' ? '[x]' : '[ ]';
  if (radioButton) return value !== '' && value === button.buttonValue ? value : '';
  return '';
}

import { normalForm } from './normal-form.ts';

/** A form that is equal for two texts that differ only in case, composition or width of their letters. */
export function letterForm(text: string): string {
  const lower = normalForm(text, 'NFKC').toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ');
  return normalForm(lower, 'NFKC');
}

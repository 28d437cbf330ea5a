import { textOf } from './documents.ts';

/** The documents of this repository, as people read them: their commands and their code are run as they stand there. */

export type PageName = 'README.md' | `docs/${string}.md`;

/** @param section  the title of a section: its text, with what is below it. Absent: the whole page */
export function pageText(name: PageName, section?: string): string {
  const page = textOf(name);
  if (section === undefined) return page;
  const lines = page.split('\n');
  let inCode = false;
  const depths = lines.map((line) => {
    if (line.startsWith('```')) inCode = !inCode;
    return inCode ? 0 : (/^#+(?= )/.exec(line)?.[0].length ?? 0);
  });
  const begin = lines.findIndex((line, at) => depths[at] !== 0 && line.replace(/^#+ /, '') === section);
  if (begin === -1) throw new Error(`${name} has no section ${section}`);
  const end = depths.findIndex((depth, at) => at > begin && depth !== 0 && depth <= (depths[begin] ?? 0));
  return lines.slice(begin + 1, end === -1 ? undefined : end).join('\n');
}

/** The blocks of code in a language, in their order. @throws Error if there is none */
export function blocksIn(text: string, language: string): [string, ...string[]] {
  const [first, ...others] = Array.from(
    text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')),
    ([, code = '']) => code,
  );
  if (first === undefined) throw new Error(`there is no block of ${language}`);
  return [first, ...others];
}

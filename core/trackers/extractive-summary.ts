import {
  NEXT_ACTION_CHARS,
  SUMMARY_CHARS,
  type Summarizer,
  type Summary,
  type SummarySource,
} from '../ports/summarizer.ts';
import { oneLine } from '../text/one-line.ts';
import type { TextWindow } from '../text/seen-body.ts';
import { seenText } from '../text/seen-text.ts';
import { shortened } from '../text/shortened.ts';

/**
 * A summarizer without any service: it takes subjects and sentences from the newest messages, unchanged. Pure.
 */
export const extractiveSummarizer: Summarizer = {
  summarize: async (_tracker, messages) => extractiveSummary(messages),
};

const MESSAGES_SHOWN = 3;
const SENTENCE_CHARS = 160;
/** Between what it takes from two messages. */
export const SUMMARY_SEPARATOR = ' | ';

/** @param messages newest first */
export function extractiveSummary(messages: readonly SummarySource[]): Summary {
  const gists = messages.slice(0, MESSAGES_SHOWN).map(gistOf);
  return {
    text: shortened(gists.join(SUMMARY_SEPARATOR), SUMMARY_CHARS),
    nextAction: nextActionOf(messages),
    importance: importanceOf(messages),
  };
}

function gistOf({ subject, excerpt }: SummarySource): string {
  const [sentence = ''] = sentencesOf(excerpt);
  const name = oneLine(seenText(subject));
  if (name === '' || sentence === '') return name === '' ? shortened(sentence, SENTENCE_CHARS) : name;
  return `${name}: ${shortened(sentence, SENTENCE_CHARS)}`;
}

const GREETING =
  /^(dear|hi|hello|hey|good (morning|afternoon|evening)|hallo|liebe[rs]?|guten (tag|morgen))\b[^,.!?]{0,40}[,.!]\s+/iu;

/** Words that ask for something, in English and German. */
const ASKS =
  /\?|\b(please|could you|can you|would you|need(s)? (you|to|your)|let (me|us) know|waiting for|action required|bitte|könn(ten|test|t) (du|sie|ihr)|brauche[n]?)\b/iu;

/** A day or a deadline, in English and German. */
const DATED =
  /\b(\d{4}-\d{2}-\d{2}|\d{1,2}\.\s?\d{1,2}\.(\d{2,4})?|\d{1,2}(st|nd|rd|th)?\.? (jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)\p{L}{0,10}|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}{0,10} \d{1,2}|(mon|tues|wednes|thurs|fri|satur|sun)day|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|tomorrow|morgen|deadline|frist)\b/iu;

/** The request in the newest message that has one, preferably with a day. Otherwise the newest sentence with a day. */
function nextActionOf(messages: readonly SummarySource[]): string {
  const sentences = messages.map(({ excerpt }) => sentencesOf(excerpt));
  for (const ofMessage of sentences) {
    const asking = ofMessage.filter((one) => ASKS.test(one));
    const chosen = asking.find((one) => DATED.test(one)) ?? asking[0];
    if (chosen !== undefined) return shortened(chosen, NEXT_ACTION_CHARS);
  }
  return shortened(sentences.flat().find((one) => DATED.test(one)) ?? '', NEXT_ACTION_CHARS);
}

const PRESSING =
  /\b(urgent|asap|immediately|deadline|final (notice|reminder)|action required|overdue|dringend|eilig|sofort|wichtig|important|mahnung)\b/iu;
const BULK = /\b(unsubscribe|newsletter|no-?reply|view (this|it) in your browser|abmelden|abbestellen)\b/iu;

/** The newest message decides whether it is urgent. Low if all messages are bulk mail. */
function importanceOf(messages: readonly SummarySource[]): Summary['importance'] {
  const isBulk = ({ from, excerpt }: SummarySource) => BULK.test(from) || BULK.test(excerpt);
  if (messages.length > 0 && messages.every(isBulk)) return 'low';
  const [newest] = messages;
  if (newest === undefined) return 'normal';
  return PRESSING.test(newest.subject) || PRESSING.test(newest.excerpt) ? 'important' : 'normal';
}

const EXCERPT_CHARS = 600;
/** The part of a text that an excerpt is taken from: quotes may be most of it. */
export const EXCERPT_WINDOW: TextWindow = { from: 0, most: 20_000 };

/** The beginning of a message's own words, on one line, as a person sees them. Without quotes and signature. */
export function excerptOf(text: string): string {
  const lines = seenText(text.slice(0, EXCERPT_WINDOW.most)).split('\n');
  const signature = lines.findIndex((line) => /^-- ?$/.test(line));
  const own = (signature === -1 ? lines : lines.slice(0, signature)).filter(
    (line, at) => !/^\s*>/.test(line) && !(/:\s*$/.test(line) && /^\s*>/.test(lines[at + 1] ?? '')),
  );
  return shortened(oneLine(own.join('\n')), EXCERPT_CHARS);
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

function sentencesOf(excerpt: string): string[] {
  return [...segmenter.segment(excerpt.replace(GREETING, ''))]
    .map(({ segment }) => segment.trim())
    .filter((one) => one !== '');
}

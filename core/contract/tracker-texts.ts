import * as z from 'zod';
import { line, text } from './schema.ts';

/** The texts of a tracker, as agents and the owner may write them. */

export const trackerTitle = line({ min: 1, max: 200, description: 'One line.' });

export const trackerKeywords = line({
  min: 0,
  max: 500,
  description: 'Comma-separated; used for automatic linking.',
});

export const trackerDue = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .refine((date) => z.iso.date().safeParse(date).success, { message: 'must be a day that exists' })
  .meta({ description: 'A day such as 2026-03-04; due by its end.' });

export const trackerNoteText = text({ min: 1, max: 10_000, description: 'Plain text.' });

import * as z from 'zod';
import { writtenBy } from './text-author.ts';

/** Shapes that results and events share, as the description of the API gives them. */

/** An instant. Its offset is that of the thing it belongs to. */
export const timestamp = writtenBy('countersign', z.string().meta({ format: 'date-time' }));

export const messageIdShape = writtenBy(
  'countersign',
  z
    .string()
    .min(4)
    .max(1440)
    .regex(/^m1_[A-Za-z0-9_-]+$/)
    .meta({ description: 'Opaque; use it unchanged.' }),
);

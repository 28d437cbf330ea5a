import { type Missing, ServiceError } from './errors.ts';

export const notFound = (reason: Missing) => new ServiceError('not_found', { details: { reason } });

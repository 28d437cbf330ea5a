import { type Missing, ServiceError } from '../contract/errors.ts';

export const notFound = (reason: Missing) => new ServiceError('not_found', { details: { reason } });

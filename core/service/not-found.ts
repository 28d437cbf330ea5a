import { ServiceError } from '../contract/errors.ts';

/** @param reason  what does not exist, such as `key` */
export const notFound = (reason: string) => new ServiceError('not_found', { details: { reason } });

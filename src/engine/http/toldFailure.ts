import { EngineError, type FailureReason } from '../errors.ts';
import type { Where } from './replies.ts';
import { asNumber, asRecord, asText } from '../wire.ts';

const REASONS: Readonly<Record<number, FailureReason>> = { 401: 'unauthorized', 404: 'notFound' };

/** The failure that one record of a stream tells of, after a status that said yes; undefined for any other record. */
export function failureTold(record: unknown, where?: Where): EngineError | undefined {
  const { errorDetail } = asRecord(record);
  const message = messageTold(record);
  if (message === '' && errorDetail === undefined) return undefined;
  return new EngineError(REASONS[asNumber(asRecord(errorDetail)['code']) ?? 0] ?? 'failed', {
    ...where,
    ...(message !== '' && { engineMessage: message }),
  });
}

/** The engine's words in such a record; empty if there are none. */
export function messageTold(record: unknown): string {
  const { error, errorDetail } = asRecord(record);
  return (asText(asRecord(errorDetail)['message']) || asText(error)).trim();
}

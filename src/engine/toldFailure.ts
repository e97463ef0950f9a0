import { EngineError, type FailureReason } from './errors.ts';
import type { Where } from './replies.ts';
import { asNumber, asRecord, asText } from './wire.ts';

const REASONS: Readonly<Record<number, FailureReason>> = { 401: 'unauthorized', 404: 'notFound' };

/** The failure that one record of a stream tells of, after a status that said yes; undefined for any other record. */
export function failureTold(record: unknown, where?: Where): EngineError | undefined {
  const wire = asRecord(record);
  const detail = asRecord(wire['errorDetail']);
  const message = (asText(detail['message']) || asText(wire['error'])).trim();
  if (message === '' && wire['errorDetail'] === undefined) return undefined;
  return new EngineError(REASONS[asNumber(detail['code']) ?? 0] ?? 'failed', {
    ...where,
    ...(message !== '' && { engineMessage: message }),
  });
}

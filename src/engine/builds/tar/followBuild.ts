/** Reads the response of `POST /build`. */

import { STATUS_RESPONSE } from '../controlMessages.ts';
import { BuildProgress } from '../buildProgress.ts';
import { EngineError, failedWith } from '../../errors.ts';
import { ProtobufError } from '../grpc/protobuf.ts';
import type { Connection } from '../../http/connection.ts';
import type { EngineRequest } from '../../http/engineRequest.ts';
import { followTransfer } from '../../registries/followTransfer.ts';
import { StepYielder } from '../../../base/stepYielder.ts';
import { asImageId, asRecord, asText } from '../../wire/wire.ts';
import { neededStages, parseDockerfile } from '../dockerfile/dockerfile.ts';
import type { GivenSecrets } from '../givenSecrets.ts';
import type { StartedRequest } from '../dockerfile/readDockerfile.ts';
import type { BuildEvent } from '../model.ts';
import { TextProgress } from './textProgress.ts';

/**
 * Sends a build and reports its progress until it ends.
 *
 * @throws EngineError if the connection fails or the response is not valid; UploadError; the abort reason of the
 * signal.
 */
export async function followBuild(
  connection: Connection,
  wire: EngineRequest,
  { request, given, onEvent, signal }: FollowedBuild,
): Promise<BuildEnd> {
  const report = (event: BuildEvent): void => {
    for (const shown of given.hideIn(event)) onEvent(shown);
  };
  const trace = new BuildProgress(report);
  const lines = new TextProgress(
    report,
    neededStages(parseDockerfile(request.source.text, request.args), request.target),
  );
  let imageId = '';
  try {
    const pace = new StepYielder(signal);
    await followTransfer(connection, wire, async (record) => {
      const aux = record['aux'];
      if (record['id'] === 'moby.buildkit.trace')
        await trace.reportInTurns(readTrace(aux, connection), pace);
      else imageId = imageIdIn(aux) || imageId;
      lines.add(asText(record['stream']));
    });
    lines.end('done');
    return imageId === '' ? {} : { imageId };
  } catch (error) {
    const isOfBuild = failedWith(error, 'failed', 'badRequest', 'notFound', 'unauthorized');
    if (signal.aborted || !isOfBuild) {
      lines.end('canceled');
      throw error;
    }
    return { failure: failureOf(error, trace, lines) };
  } finally {
    trace.end();
  }
}

export interface FollowedBuild {
  readonly request: StartedRequest;
  /** Secrets that must not be shown. */
  readonly given: GivenSecrets;
  readonly onEvent: (event: BuildEvent) => void;
  readonly signal: AbortSignal;
}

/** Why a build failed, as reported by the engine. */
export interface BuildFailureReport {
  readonly error: EngineError;
  /** The step that failed, and its name as the engine wrote it. */
  readonly step?: { readonly id: string; readonly text: string };
}

interface BuildEnd {
  readonly imageId?: string;
  readonly failure?: BuildFailureReport;
}

function failureOf(
  error: EngineError,
  trace: BuildProgress,
  lines: TextProgress,
): BuildFailureReport {
  const { failed } = trace;
  if (failed) return { error, step: { id: failed.id, text: failed.name } };
  const { current } = lines;
  lines.end('failed', error.engineMessage);
  return { error, ...(current && { step: { id: current.step.id, text: current.text } }) };
}

function readTrace(aux: unknown, { endpoint }: Connection) {
  try {
    return STATUS_RESPONSE.decode(Buffer.from(asText(aux), 'base64'));
  } catch (cause) {
    if (!(cause instanceof ProtobufError)) throw cause;
    throw new EngineError('badAnswer', {
      endpoint: endpoint.url,
      operation: 'POST /build',
      cause,
    });
  }
}

function imageIdIn(aux: unknown): string {
  const id = asImageId(asRecord(aux)['ID']);
  return /^sha256:[0-9a-f]{64}$/.test(id) ? id : '';
}

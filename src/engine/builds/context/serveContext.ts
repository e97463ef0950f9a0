import { createHash } from 'node:crypto';
import { ConcurrencyLimit } from '../../../base/concurrencyLimit.ts';
import type { BuildContext, BuildRequest, SentContext } from '../model.ts';
import type { CallStream } from '../grpc/callStream.ts';
import { GRPC_CODE, GrpcError } from '../grpc/grpcError.ts';
import { ContextError } from './contextError.ts';
import { ContextParts } from './contextParts.ts';
import { FileSending, type KeptFiles } from './fileSending.ts';
import { SentFiles } from './sentFiles.ts';

/** Number of calls answered at the same time. A build has two or three; the others wait. */
const CALLS_AT_ONCE = 4;

/**
 * Serves the files of a build to the engine: `moby.filesync.v1.FileSync/DiffCopy`. The engine is sent the list of
 * files that it asks for and that are not ignored, and gets the contents of those that it does not have. The ignore
 * file is applied here, whatever the engine asks for.
 *
 * @param installation text that other installations do not have: the engine compares with what it got before.
 * @param isCheck whether the Dockerfile is only checked: then the context is only its ignore file.
 */
export function serveContext(
  request: Pick<BuildRequest, 'context' | 'dockerfile'>,
  installation: string,
  isCheck = false,
): ServedContext {
  const key = createHash('sha256').update(`${installation}\0${request.context}`);
  const state: { failure: ContextError | undefined } = { failure: undefined };
  const parts = new ContextParts(request, isCheck);
  const sent = new SentFiles();
  const kept: KeptFiles = { count: 0 };
  const turns = new ConcurrencyLimit(CALLS_AT_ONCE);
  const answer = async (call: CallStream): Promise<void> => {
    // It may have ended while it waited.
    call.signal.throwIfAborted();
    const [part] = call.metadata('dir-name');
    if (part !== 'context' && part !== 'dockerfile')
      throw new GrpcError(GRPC_CODE.notFound, 'no such folder');
    const { root, entries } = await parts.open(part, call);
    const counted = part === 'context' ? sent : undefined;
    await new FileSending(root, call, kept, counted).run(entries);
  };
  return {
    sharedKey: key.digest('hex'),
    get failure() {
      return state.failure;
    },
    sent,
    diffCopy: async (call) => {
      try {
        await turns.run(() => answer(call));
      } catch (error) {
        if (!(error instanceof ContextError)) throw error;
        state.failure ??= error;
        throw new GrpcError(GRPC_CODE.unknown, `${error.path}: ${error.problem}`);
      }
    },
  };
}

/** The files of a build, and why they could not be sent. */
export interface ServedContext extends BuildContext {
  /** The first failure; the error of the engine only reports that there was one. */
  readonly failure: ContextError | undefined;
  /** The files of the context that were sent. */
  readonly sent: SentContext;
}

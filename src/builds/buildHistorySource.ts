import type { BuildEvent, BuildHistoryEvent, BuildSource } from '../engine/builds/model.ts';

/** The history of builds of one engine. */
export interface BuildHistorySource {
  /** Resolves to the references of the builds there are. */
  readonly list: (signal: AbortSignal) => Promise<readonly string[]>;
  /** Reports the builds there are, and then each change. Resolves when the engine ends the stream. */
  readonly follow: (
    onChange: (change: BuildHistoryEvent) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Reports everything about a build, and follows it if it is running. Resolves when the build has ended. */
  readonly replay: (
    ref: string,
    onEvent: (event: BuildEvent) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Resolves to why a build failed; undefined if the engine does not have it. */
  readonly findFailure: (ref: string, signal: AbortSignal) => Promise<RecordedFailure | undefined>;
}

/** Why a build of the history failed. */
export interface RecordedFailure {
  readonly message: string;
  readonly source: BuildSource | undefined;
}
